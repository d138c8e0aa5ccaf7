import type { PermissionMode } from '@agentscope/core';

/** The modes by name, and what a person has to know of each. The list is here, so that reading the command line loads no library. */
const WORDS: Readonly<Record<PermissionMode, string>> = {
  default: 'reading runs, everything else asks',
  accept_edits: 'edits of files here run too',
  explore: 'only reading runs',
  bypass: 'everything runs; tools and dangerous paths still ask',
  dont_ask: 'what would ask is denied',
};

export const MODES: readonly PermissionMode[] = Object.keys(WORDS) as PermissionMode[];

export function isMode(word: string): word is PermissionMode {
  return (MODES as readonly string[]).includes(word);
}

/** One line for each mode; the one that holds is marked. */
export function modeLines(now: PermissionMode): string {
  return MODES.map((mode) => `${mode === now ? '*' : ' '} ${mode.padEnd(13)}${WORDS[mode]}\n`).join('');
}
