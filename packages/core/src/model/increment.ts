import { AgentScopeError } from '../error/index.ts';
import { isObject } from '../internal/index.ts';
import type { ChatResponseChunk, Increment } from './model.ts';

/**
 * Models of one's own come without types too: what is no increment is an error of the stream. What can be done without is not asked
 * for: an id, a name, a number.
 *
 * @throws AgentScopeError `model/bad-stream`: an unknown type, or no text, thinking, content or data
 */
export function checkIncrement(increment: unknown): asserts increment is Increment {
  if (!isObject(increment)) throw badStream('one of its increments is no object');
  const type = increment['type'];
  const member = MEMBERS.get(type);
  if (member === undefined) throw badStream(`there is no increment of the type ${quoted(type)}`);
  const said = increment[member];
  if (type === 'data' ? !isSource(said) : typeof said !== 'string') throw badStream(`an increment of the type ${quoted(type)} holds no ${member}`);
}

/** The increments of a chunk, each checked; a chunk without content has none. @throws AgentScopeError `model/bad-stream` */
export function incrementsOf(chunk: ChatResponseChunk): readonly Increment[] {
  const given: unknown = chunk;
  if (!isObject(given)) throw badStream('one of its chunks is no object');
  const content = given['content'] ?? [];
  if (!Array.isArray(content)) throw badStream('the content of a chunk is no list');
  for (const increment of content as readonly unknown[]) checkIncrement(increment);
  return content as readonly Increment[];
}

export function badStream(what: string): AgentScopeError {
  return new AgentScopeError('model/bad-stream', `The model's stream is malformed: ${what}.`, { details: { provider: '', retryable: false } });
}

/** What each type has to hold. */
const MEMBERS: ReadonlyMap<unknown, string> = new Map<Increment['type'], string>([['text', 'text'], ['thinking', 'thinking'], ['tool_use', 'content'], ['data', 'data']]);

function isSource(value: unknown): boolean {
  return isObject(value) && ((value['type'] === 'url' && typeof value['url'] === 'string') || (value['type'] === 'base64' && typeof value['data'] === 'string'));
}

function quoted(type: unknown): string {
  return JSON.stringify(String(type).slice(0, 40));
}
