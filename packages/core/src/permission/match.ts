import { canonicalJson } from '../internal/index.ts';
import type { JsonObject } from '../internal/index.ts';
import type { PermissionRule } from '../message/index.ts';
import { normalPath, subjectsOf, textsOf } from './arguments.ts';
import type { ArgumentText } from './arguments.ts';
import type { PermissionFacts } from './policy.ts';
import { hasContent } from './rule.ts';
import type { KeptRule } from './rule.ts';
import { escapeWildcard, hasWildcard, literalOf, matchesWildcard } from './wildcard.ts';

/**
 * Whether a rule is about this call. What allows must fit everything the call is about; what denies or asks matches as soon as one
 * thing fits.
 */
export function ruleMatches(rule: KeptRule, facts: PermissionFacts): boolean {
  if (!matchesWildcard(rule.toolName, facts.tool)) return false;
  const { ruleContent } = rule;
  if (!hasContent(ruleContent)) return true;
  const allows = rule.behavior === 'allow';
  if (facts.matches) return ownMatch(facts.matches, ruleContent, allows);
  if (matchesWildcard(ruleContent, canonicalJson(facts.input))) return !allows || !hasWildcard(ruleContent);
  return allows ? allFit(ruleContent, subjectsOf(facts.input)) : textsOf(facts.input).some((subject) => anyFits(ruleContent, subject));
}

/**
 * An allow rule for this call: for its command, or its one path (what is written there may differ); for anything else all arguments count.
 */
export function exactRule(toolName: string, input: JsonObject): PermissionRule {
  const content = exactContent(input);
  return { toolName, ...(content === undefined ? {} : { ruleContent: content }), behavior: 'allow' };
}

function exactContent(input: JsonObject): string | undefined {
  const subjects = subjectsOf(input);
  const [only] = subjects;
  const speaksForAll = only?.kind !== 'other' || Object.keys(input).length === 1;
  const text = only && subjects.length === 1 && speaksForAll ? (only.kind === 'path' ? normalPath(only.text) : only.text) : '';
  if (text !== '') return escapeWildcard(text);
  return Object.keys(input).length === 0 ? undefined : escapeWildcard(canonicalJson(input));
}

/** A matcher that fails must not open a door. */
function ownMatch(matches: (content: string) => boolean, content: string, allows: boolean): boolean {
  try {
    return matches(content);
  } catch {
    return !allows;
  }
}

function allFit(content: string, subjects: readonly ArgumentText[]): boolean {
  return subjects.length > 0 && subjects.every((subject) => fits(content, subject));
}

function fits(content: string, { kind, text }: ArgumentText): boolean {
  if (kind === 'path') return matchesWildcard(pathPattern(content), normalPath(text));
  if (kind === 'other') return matchesWildcard(content, text);
  const command = text.trim();
  const isPattern = hasWildcard(content) && !content.endsWith(PREFIX);
  if (!hasWildcard(content)) return literalOf(content) === command;
  // A pattern is about simple commands: what hides another one, or writes into a file, fits no pattern.
  if (/[`<>\n\\]|\$[({]/.test(command)) return false;
  const parts = command.split(/&&|\|\||[;|&]/).map((part) => part.trim());
  return parts.every((part) => part !== '' && (isPattern ? matchesWildcard(content, part) : hasPrefix(content, part)));
}

/** `git:*`, as AgentScope writes it: the command itself, and with anything behind it. */
const PREFIX = ':*';

function hasPrefix(content: string, command: string): boolean {
  const prefix = literalOf(content.slice(0, -PREFIX.length));
  return command === prefix || command.startsWith(`${prefix} `);
}

function anyFits(content: string, { kind, text }: ArgumentText): boolean {
  if (matchesWildcard(content, text)) return true;
  if (kind === 'path') return matchesWildcard(pathPattern(content), normalPath(text));
  if (kind !== 'command') return false;
  const parts = text.split(/[;&|\n`()<>{}$]+/).map((part) => part.trim());
  return parts.some((part) => part !== '' && (matchesWildcard(content, part) || (content.endsWith(PREFIX) && hasPrefix(content, part))));
}

/** `./src/*` and `src/*` are the same. */
function pathPattern(content: string): string {
  return content.startsWith('./') ? content.slice(2) : content;
}
