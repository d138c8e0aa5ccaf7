import { createTurnCutter, GO_ON, isBlank, isMedia, mediaNote } from '../../../formatter/index.ts';
import type { AssistantTurn, FormatOptions, Formatter, Turn, TurnCall, TurnCutter, TurnResult, UserTurn } from '../../../formatter/index.ts';
import { isObject } from '../../../internal/index.ts';
import type { Msg } from '../../../message/index.ts';
import { mediaPart } from './media.ts';
import { rulesFor } from './profile.ts';
import type { CompatibleProfile } from './profile.ts';
import { isOwnThinking, repliesToReplay, replayed } from './replay.ts';

/** A message of the Chat Completions API. */
export interface ChatWireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
  readonly name?: string;
  readonly reasoning_content?: string;
  readonly reasoning?: string;
  readonly reasoning_details?: readonly unknown[];
}

/**
 * Messages for a server that speaks Chat Completions, as its profile says. Each message of a turn that did not change is the same frozen
 * object as last time.
 *
 * Only thinking the server said itself goes back, and only where the profile wants it; media of tools come as one message of the user
 * behind their results; what the server cannot take becomes a note.
 */
export class ChatFormatter implements Formatter<ChatWireMessage[]> {
  readonly #profile: CompatibleProfile;
  readonly #models: Map<string, ModelFormatter> = new Map();

  constructor(profile: CompatibleProfile) {
    this.#profile = profile;
  }

  format(messages: readonly Msg[], options: FormatOptions): ChatWireMessage[] {
    const { modelName } = options;
    let known = this.#models.get(modelName);
    if (known === undefined) this.#models.set(modelName, (known = new ModelFormatter(rulesFor(this.#profile, modelName))));
    return known.format(messages, options);
  }
}

/** The same for one model, whose rules do not change. */
class ModelFormatter {
  readonly #profile: CompatibleProfile;
  readonly #cut: TurnCutter;
  /** Turns as they are without their thinking, and with it. */
  readonly #known: { readonly bare: WeakMap<Turn, readonly ChatWireMessage[]>; readonly thoughtful: WeakMap<Turn, readonly ChatWireMessage[]> } = { bare: new WeakMap(), thoughtful: new WeakMap() };

  constructor(profile: CompatibleProfile) {
    this.#profile = profile;
    this.#cut = createTurnCutter({
      promoteMedia: (block) => mediaPart(block, profile.media) !== undefined,
      maxIdLength: profile.maxIdLength,
      reservedNames: profile.reservedNames,
      alternate: true,
      opening: GO_ON,
      ...(profile.replay.thinking === 'never' ? {} : { keepThinking: (block) => isOwnThinking(block, profile) }),
    });
  }

  format(messages: readonly Msg[], { tools, thinking = this.#profile.thinking.byDefault }: FormatOptions): ChatWireMessage[] {
    const turns = this.#cut(messages, tools);
    const goesBack = repliesToReplay(turns, this.#profile, thinking);
    const wire: ChatWireMessage[] = [];
    turns.forEach((turn, at) => {
      const isThoughtful = goesBack[at] === true;
      const store = isThoughtful ? this.#known.thoughtful : this.#known.bare;
      let known = store.get(turn);
      if (known === undefined) store.set(turn, (known = toWire(turn, this.#profile, isThoughtful).map((message) => Object.freeze(message))));
      for (const message of known) wire.push(message);
    });
    return wire;
  }
}

function toWire(turn: Turn, profile: CompatibleProfile, withThinking: boolean): readonly ChatWireMessage[] {
  switch (turn.role) {
    case 'system':
      return [{ role: 'system', content: turn.text }];
    case 'user':
      return [{ role: 'user', content: userContent(turn.content, profile), ...nameOf(turn, profile) }];
    case 'assistant':
      return assistantMessages(turn, profile, withThinking);
    case 'tool':
      return turn.results.map((result) => ({ role: 'tool', tool_call_id: result.id, content: resultText(result) }));
  }
}

function nameOf({ safeName }: UserTurn | AssistantTurn, { names }: CompatibleProfile): { name?: string } {
  return names && safeName !== undefined ? { name: safeName } : {};
}

/** One text is a plain string, which more servers understand than a list of parts. */
function userContent(content: UserTurn['content'], { media, content: form }: CompatibleProfile): unknown {
  const [first] = content;
  if (content.length === 1 && first?.type === 'text') return first.text;
  const parts = content.map((block) => (block.type === 'text' ? textPart(block.text) : (mediaPart(block, media) ?? textPart(mediaNote(block)))));
  return form === 'parts' ? parts : parts.map(textOf).join('\n');
}

function textPart(text: string): object {
  return { type: 'text', text };
}

function textOf(part: object): string {
  return 'text' in part && typeof part.text === 'string' ? part.text : '';
}

/** `content` is always there, also beside calls: strict servers refuse a message without it (C040). */
function assistantMessages(turn: AssistantTurn, profile: CompatibleProfile, withThinking: boolean): readonly ChatWireMessage[] {
  const texts = turn.content.flatMap((block) => (block.type === 'text' ? [block.text] : isMedia(block) ? [mediaNote(block)] : []));
  if (turn.calls.length === 0 && texts.length === 0) return [];
  const { fields, prefix } = withThinking ? replayed(turn, profile) : { fields: {}, prefix: '' };
  const calls = turn.calls.length === 0 ? {} : { tool_calls: turn.calls.map((call) => callOf(call, profile)) };
  return [{ role: 'assistant', content: assistantContent(texts, prefix, profile), ...nameOf(turn, profile), ...fields, ...calls }];
}

function assistantContent(texts: readonly string[], prefix: string, { content, emptyContent }: CompatibleProfile): unknown {
  if (prefix !== '') return prefix + texts.join('\n');
  if (texts.length > 1) return content === 'parts' ? texts.map(textPart) : texts.join('\n');
  return texts[0] ?? emptyContent;
}

/** Unknown members a server put beside a call (signatures, for one) go back as they came. */
function callOf(call: TurnCall, { name }: CompatibleProfile): object {
  const own = call.metadata?.[name];
  const extra = isObject(own) && own['extra_content'] !== undefined ? { extra_content: own['extra_content'] } : {};
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.argumentsText }, ...extra };
}

function resultText({ content }: TurnResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : mediaNote(block))).filter((text) => !isBlank(text)).join('\n');
}
