import type { Attributes } from '@opentelemetry/api';
import type { JsonObject, JsonValue } from '../internal/index.ts';
import type { ContentBlock, Msg } from '../message/index.ts';
import { redactText, redactValue } from './redact.ts';

/** What was said, as attributes of the conventions: JSON texts, since attributes hold no objects. */
export interface ContentRecorder {
  /** The system prompt apart. */
  input(messages: readonly Msg[]): Attributes;
  output(content: readonly ContentBlock[], finishReason?: string): Attributes;
  toolInput(input: JsonObject): Attributes;
  toolOutput(output: readonly ContentBlock[]): Attributes;
}

/** Undefined where nothing may be recorded. */
export function contentRecorder(capture: boolean | ((text: string) => string)): ContentRecorder | undefined {
  if (capture === false) return undefined;
  const own = capture === true ? (text: string): string => text : capture;
  const mask = (text: string): string => redactText(own(text));
  return {
    input: (messages) => recorded(() => ({ ...instructions(messages, mask), 'gen_ai.input.messages': JSON.stringify(messages.filter(isSaid).flatMap((msg) => turnsOf(msg, mask))) })),
    output: (content, finishReason) =>
      recorded(() => ({ 'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: content.flatMap((block) => partOf(block, mask)), ...(finishReason === undefined ? {} : { finish_reason: finishReason }) }]) })),
    toolInput: (input) => recorded(() => ({ 'gen_ai.tool.call.arguments': JSON.stringify(masked(input, mask)) })),
    toolOutput: (output) => recorded(() => ({ 'gen_ai.tool.call.result': JSON.stringify(output.flatMap((block) => partOf(block, mask))) })),
  };
}

/** What cannot be recorded is left out: a trace fails no reply. */
function recorded(make: () => Attributes): Attributes {
  try {
    return make();
  } catch {
    return {};
  }
}

type Mask = (text: string) => string;
interface Turn {
  readonly role: string;
  readonly parts: readonly JsonObject[];
}

const isSaid = ({ role }: Msg): boolean => role !== 'SYSTEM';

function instructions(messages: readonly Msg[], mask: Mask): Attributes {
  const system = messages.filter((msg) => !isSaid(msg));
  if (system.length === 0) return {};
  return { 'gen_ai.system_instructions': JSON.stringify(system.map((msg) => ({ type: 'text', content: mask(msg.getTextContent()) }))) };
}

/** A stored reply holds all its rounds: each run of results is a turn of its own. */
function turnsOf({ role, content }: Msg, mask: Mask): readonly Turn[] {
  const turns: { role: string; parts: JsonObject[] }[] = [];
  for (const block of content) {
    const speaker = block.type === 'tool_result' ? 'tool' : role.toLowerCase();
    const last = turns.at(-1);
    const parts = partOf(block, mask);
    if (last?.role === speaker) last.parts.push(...parts);
    else turns.push({ role: speaker, parts: [...parts] });
  }
  return turns;
}

function partOf(block: ContentBlock, mask: Mask): readonly JsonObject[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', content: mask(block.text) }];
    case 'thinking':
      return [{ type: 'reasoning', content: mask(block.thinking) }];
    case 'tool_use':
      return [{ type: 'tool_call', id: block.id, name: block.name, arguments: masked(block.input, mask) }];
    case 'tool_result':
      return [{ type: 'tool_call_response', id: block.id, response: block.output.flatMap((each) => partOf(each, mask)) }];
    default:
      return [{ type: block.type }]; // media and the like: that they were there, not what they hold
  }
}

function masked(value: JsonValue, mask: Mask): JsonValue {
  return redactValue(value, mask);
}
