import type { AgentSession, PermissionRule } from '@agentscope/core';
import { isMode, MODES, modeLines } from './modes.ts';
import { printable } from './printable.ts';

/** `/mode` and `/rules`: what is said back. */
export async function permissionCommand(session: AgentSession, line: string): Promise<string> {
  const [command = '', word = '', ...rest] = line.split(/\s+/);
  if (command === '/mode') return word === '' ? modeLines((await session.permission()).mode) : setMode(session, word);
  if (word === '') return listRules(session);
  if (word !== 'drop' || rest.length === 0) return 'Write /rules, or /rules drop <id>.\n';
  const id = rest.join(' ');
  return (await session.revokePermissionRule(id)) ? `${printable(id)} is gone.\n` : `There is no rule ${printable(id)} of this conversation. /rules lists them.\n`;
}

async function setMode(session: AgentSession, word: string): Promise<string> {
  if (!isMode(word)) return `There is no mode ${printable(word)}. Modes are ${MODES.join(', ')}.\n`;
  await session.setPermissionMode(word);
  return `The mode is ${word}.\n`;
}

async function listRules(session: AgentSession): Promise<string> {
  const { rules } = await session.permission();
  return rules.length === 0 ? 'There are no rules.\n' : rules.map((rule) => `${printable(rule.id)}${note(rule)}\n`).join('');
}

function note({ source, expiresAt }: PermissionRule): string {
  const words = [source === 'agent' ? 'from --allow' : undefined, expiresAt === undefined ? undefined : `until ${expiresAt}`].filter((word) => word !== undefined);
  return words.length === 0 ? '' : ` (${printable(words.join(', '))})`;
}
