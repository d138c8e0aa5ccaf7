import { isObject } from '../../internal/index.ts';
import { Msg } from '../../message/index.ts';
import type { ToolResultBlock, ToolUseBlock } from '../../message/index.ts';
import type { GenerateOptions } from '../../model/index.ts';

/** What a hook leaves in a field it may change, in order. @throws TypeError for what cannot stand there; the hook is named then */
export function asMessages(value: unknown): readonly Msg[] {
  if (!Array.isArray(value)) throw new TypeError('inputMessages has to be a list of messages');
  return value.map((msg) => asMessage(msg));
}

export function asMessage(value: unknown): Msg {
  if (!isObject(value)) throw new TypeError('a message has to be a Msg');
  return Msg.from(value as never);
}

const SAID: ReadonlySet<string> = new Set(['text', 'thinking', 'data', 'tool_use']);

/** What a model said: nothing else can be said in its place. */
export function asSaid(value: unknown): Msg {
  const msg = asMessage(value);
  const wrong = msg.content.find(({ type }) => !SAID.has(type));
  if (wrong) throw new TypeError(`a model does not say a ${wrong.type} block`);
  return msg;
}

export function asOptions(value: unknown): GenerateOptions {
  if (!isObject(value)) throw new TypeError('generateOptions has to be an object');
  return value;
}

export function asToolUse(given: ToolUseBlock): (value: unknown) => ToolUseBlock {
  return (value) => {
    if (!isObject(value) || !isObject(value['input'])) throw new TypeError('toolUse has to be a tool_use block with an object as input');
    if (value['id'] !== given.id || value['name'] !== given.name) throw new TypeError('toolUse may get other arguments, no other id and no other name');
    return value as unknown as ToolUseBlock;
  };
}

const STATES: ReadonlySet<unknown> = new Set(['success', 'error', 'interrupted', 'denied']);

export function asToolResult(given: ToolResultBlock): (value: unknown) => ToolResultBlock {
  return (value) => {
    if (!isObject(value) || !Array.isArray(value['output'])) throw new TypeError('toolResult has to be a tool_result block with a list as output');
    if (value['id'] !== given.id) throw new TypeError('toolResult cannot answer another call');
    if (!STATES.has(value['state'])) throw new TypeError(`toolResult cannot have the state ${JSON.stringify(value['state'])}`);
    return value as unknown as ToolResultBlock;
  };
}
