import { isObject } from '../internal/index.ts';
import type { JsonObject } from '../internal/index.ts';

/** A text among a call's arguments, and what its name says it is. */
export interface ArgumentText {
  readonly kind: 'command' | 'path' | 'other';
  readonly text: string;
}

const COMMAND = /^(command|cmd|script|shell)$/i;
const PATH = /(path|file|dir|directory|folder|cwd|root|destination|source|target)s?$/i;
const SUBJECT = /^(url|uri|query|pattern|sql|code|domain|host|name|id)$/i;
const PATH_CHARS = 4096;
const MAX_DEPTH = 8;

/**
 * What a rule's content is about: the command and the paths a call names; where it names none, its URL, query or the like; else its one
 * argument. Empty: nothing stands out.
 */
export function subjectsOf(input: JsonObject): readonly ArgumentText[] {
  const texts = textsOf(input);
  const named = texts.filter(({ kind }) => kind !== 'other');
  if (named.length > 0) return named;
  const members = Object.entries(input).filter(([, value]) => isScalar(value));
  const subjects = members.filter(([name]) => SUBJECT.test(name));
  const only = subjects.length > 0 ? subjects.slice(0, 1) : Object.keys(input).length === 1 ? members : [];
  return only.map(([, value]) => ({ kind: 'other', text: String(value) }));
}

/** Every text and number among the arguments, however deep. */
export function textsOf(input: JsonObject): readonly ArgumentText[] {
  const found: ArgumentText[] = [];
  collect('', input, { found, depth: 0 });
  return found;
}

interface Collecting {
  readonly found: ArgumentText[];
  readonly depth: number;
}

/** The members of a list are what the list is called. */
function collect(name: string, value: unknown, { found, depth }: Collecting): void {
  if (depth > MAX_DEPTH) return;
  if (isScalar(value)) found.push({ kind: kindOf(name, value), text: String(value) });
  else if (Array.isArray(value)) for (const item of value) collect(name, item, { found, depth: depth + 1 });
  else if (isObject(value)) for (const [member, inner] of Object.entries(value)) collect(member, inner, { found, depth: depth + 1 });
}

function kindOf(name: string, value: unknown): ArgumentText['kind'] {
  if (typeof value !== 'string') return 'other';
  if (COMMAND.test(name)) return 'command';
  return PATH.test(name) && value.length <= PATH_CHARS && !value.includes('\n') ? 'path' : 'other';
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** A path with `/` only and without `.`, `..` and doubled slashes, so that no detour hides where it leads. */
export function normalPath(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  const isAbsolute = slashed.startsWith('/');
  const kept: string[] = [];
  for (const segment of slashed.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') kept.push(segment);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!isAbsolute) kept.push('..');
  }
  return (isAbsolute ? '/' : '') + kept.join('/');
}
