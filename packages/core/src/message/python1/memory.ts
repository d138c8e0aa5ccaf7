import { isObject } from '../../internal/index.ts';
import { invalid } from '../invalid.ts';
import type { Msg } from '../msg.ts';
import { msgFromPython1 } from './read.ts';

/**
 * The messages of a saved memory of Python 1: a list of pairs of a message and its marks, in older versions of messages alone. The
 * marks say what Python's own memory did with a message; they are not kept.
 *
 * @throws AgentScopeError `message/invalid`
 */
export function messagesFromPython1Memory(json: unknown): Msg[] {
  const entries = isObject(json) ? json['content'] : json;
  if (!Array.isArray(entries)) throw invalid('content', 'a memory holds a list of messages');
  return entries.map((entry: unknown, i) => msgFromPython1(Array.isArray(entry) ? entry[0] : entry, { path: `content[${i}].` }));
}
