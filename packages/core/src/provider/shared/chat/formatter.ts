import { createTurnCutter, GO_ON, isBlank, isMedia, mediaNote } from '../../../formatter/index.ts';
import type { AssistantTurn, FormatOptions, Formatter, FormatterTool, Turn, TurnCall, TurnResult, UserTurn } from '../../../formatter/index.ts';
import { isObject } from '../../../internal/index.ts';
import type { Msg } from '../../../message/index.ts';
import { mediaPart } from './media.ts';

/** A message of the Chat Completions API. */
export interface ChatWireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

export interface ChatFormatterOptions {
  readonly names: boolean;
  readonly maxIdLength: number;
}

/**
 * Messages for Chat Completions. Each message of a turn that did not change is the same frozen object as last time.
 *
 * Thinking is not sent back; media of tools come as one user message behind their results; what the API cannot take (films, media an
 * assistant made) becomes a note.
 */
export class ChatFormatter implements Formatter<ChatWireMessage[]> {
  readonly #names: boolean;
  readonly #cut: (messages: readonly Msg[], tools: readonly FormatterTool[] | undefined) => readonly Turn[];
  readonly #known: WeakMap<Turn, readonly ChatWireMessage[]> = new WeakMap();

  constructor({ names, maxIdLength }: ChatFormatterOptions) {
    this.#names = names;
    this.#cut = createTurnCutter({ promoteMedia: (block) => mediaPart(block) !== undefined, maxIdLength, alternate: true, opening: GO_ON });
  }

  format(messages: readonly Msg[], { tools }: FormatOptions): ChatWireMessage[] {
    const wire: ChatWireMessage[] = [];
    for (const turn of this.#cut(messages, tools)) {
      let known = this.#known.get(turn);
      if (known === undefined) this.#known.set(turn, (known = toWire(turn, this.#names).map((message) => Object.freeze(message))));
      for (const message of known) wire.push(message);
    }
    return wire;
  }
}

function toWire(turn: Turn, names: boolean): readonly ChatWireMessage[] {
  switch (turn.role) {
    case 'system':
      return [{ role: 'system', content: turn.text }];
    case 'user':
      return [{ role: 'user', content: userContent(turn.content), ...nameOf(turn, names) }];
    case 'assistant':
      return assistantMessages(turn, names);
    case 'tool':
      return turn.results.map((result) => ({ role: 'tool', tool_call_id: result.id, content: resultText(result) }));
  }
}

function nameOf({ safeName }: UserTurn | AssistantTurn, names: boolean): { name?: string } {
  return names && safeName !== undefined ? { name: safeName } : {};
}

/** One text is a plain string, which more servers understand than a list of parts. */
function userContent(content: UserTurn['content']): unknown {
  const [first] = content;
  if (content.length === 1 && first?.type === 'text') return first.text;
  return content.map((block) => (block.type === 'text' ? textPart(block.text) : (mediaPart(block) ?? textPart(mediaNote(block)))));
}

function textPart(text: string): object {
  return { type: 'text', text };
}

/** `content` is always there: `null` beside calls, since strict servers refuse a message without it (C040). */
function assistantMessages(turn: AssistantTurn, names: boolean): readonly ChatWireMessage[] {
  const texts = turn.content.flatMap((block) => (block.type === 'text' ? [block.text] : isMedia(block) ? [mediaNote(block)] : []));
  if (turn.calls.length === 0 && texts.length === 0) return [];
  const content = texts.length > 1 ? texts.map(textPart) : (texts[0] ?? null);
  const calls = turn.calls.length === 0 ? {} : { tool_calls: turn.calls.map(callOf) };
  return [{ role: 'assistant', content, ...nameOf(turn, names), ...calls }];
}

/** Unknown members a server put beside a call (signatures, for one) go back as they came. */
function callOf(call: TurnCall): object {
  const own = call.metadata?.['openai'];
  const extra = isObject(own) && own['extra_content'] !== undefined ? { extra_content: own['extra_content'] } : {};
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.argumentsText }, ...extra };
}

function resultText({ content }: TurnResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : mediaNote(block))).filter((text) => !isBlank(text)).join('\n');
}
