import { isObject } from '../internal/index.ts';
import { msgFromJava2 } from './java2/read-msg.ts';
import { jsonOf } from './members.ts';
import type { Msg } from './msg.ts';
import { msgFromPython1 } from './python1/read.ts';
import { msgFromPython2 } from './python2/read.ts';

/** AgentScope Java 2, Python 2, Python 1. The older TypeScript package is read as part of `java2`. */
export type Dialect = 'java2' | 'python2' | 'python1';

export interface ParseOptions {
  /** Default: told from the members. */
  readonly dialect?: Dialect;
  /** What an unknown block or event type gets. Default `'throw'`: `wire/unknown-type`; `'keep'`: an opaque one that is passed on. */
  readonly unknown?: 'throw' | 'keep';
}

/**
 * A message from JSON, parsed or as text. Lenient where the constructor is strict: a role that does not fit its blocks is repaired
 * and remembered in `originalRole`, unknown members stay in `extra`, a missing id is made, a missing time stays null.
 *
 * @throws AgentScopeError `message/invalid` with path and rule, also for a text that is cut; `wire/unknown-type` for an unknown block
 *   type, unless `unknown: 'keep'`
 */
export function parseMsg(json: unknown, options: ParseOptions = {}): Msg {
  return readMsg(json, options);
}

/** `path` is where the message stands in what is being read, e.g. `context[2].`. */
export function readMsg(json: unknown, { dialect, unknown = 'throw', path = '' }: ParseOptions & { readonly path?: string }): Msg {
  const raw = jsonOf(json);
  return READERS[dialect ?? dialectOf(raw)](raw, { unknown, path });
}

const READERS: Readonly<Record<Dialect, typeof msgFromJava2>> = { java2: msgFromJava2, python2: msgFromPython2, python1: msgFromPython1 };

/** Most inputs read the same in every dialect; these marks tell the rest apart (WIRE §5.5). */
function dialectOf(json: unknown): Dialect {
  if (!isObject(json)) return 'java2';
  if ('created_at' in json || 'finished_reason' in json || 'structured_output' in json) return 'python2';
  const { role, content } = json;
  if (typeof role !== 'string' || role !== role.toLowerCase()) return 'java2';
  if (typeof content === 'string') return 'python1';
  return Array.isArray(content) && content.some(isPython1Block) ? 'python1' : 'java2';
}

/** Members only Python 1 has, and a result without the state that Java and Python 2 always write. */
function isPython1Block(block: unknown): boolean {
  if (!isObject(block)) return false;
  if ('raw_input' in block || 'thought_signature' in block) return true;
  return block['type'] === 'thinking' ? 'signature' in block : block['type'] === 'tool_result' && block['state'] === undefined;
}
