import { msgFromJava2 } from './java2/read-msg.ts';
import type { Msg } from './msg.ts';

/** AgentScope Java 2, Python 2, Python 1. The older TypeScript package is read as part of `java2`. */
export type Dialect = 'java2' | 'python2' | 'python1';

export interface ParseOptions {
  /** Default: told from the members. */
  readonly dialect?: Dialect;
  /** What an unknown block or event type gets. Default `'throw'`: `wire/unknown-type`; `'keep'`: an opaque one that is passed on. */
  readonly unknown?: 'throw' | 'keep';
}

/**
 * A message from JSON. Lenient where the constructor is strict: a role that does not fit its blocks is repaired and remembered in
 * `originalRole`, unknown members stay in `extra`, a missing id is made, a missing time stays null.
 *
 * @throws AgentScopeError `message/invalid` with path and rule; `wire/unknown-type` for an unknown block type, unless `unknown: 'keep'`
 */
export function parseMsg(json: unknown, { unknown = 'throw' }: ParseOptions = {}): Msg {
  return msgFromJava2(json, { unknown });
}
