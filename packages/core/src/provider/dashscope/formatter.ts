import { cacheControlOf, createTurnCutter, GO_ON, isMedia, mediaNote, multiAgentOf } from '../../formatter/index.ts';
import type { AssistantTurn, CacheControl, FormatOptions, Formatter, MultiAgentFormatterClass, Turn, TurnCutter, TurnResult, UserTurn } from '../../formatter/index.ts';
import { isObject } from '../../internal/index.ts';
import type { MediaBlock, Msg, TextBlock, ThinkingBlock } from '../../message/index.ts';
import { CompatibleFormatter } from './compatible-formatter.ts';
import { mediaPart, mediaText } from './media.ts';
import { profileFor, RESERVED_NAMES } from './profile.ts';
import type { DashScopeMediaKind, DashScopeProfile, DashScopeReplay } from './profile.ts';
import type { DashScopePart, DashScopeWireMessage } from './wire.ts';

export interface DashScopeFormatterOptions {
  /** Messages of the compatible protocol, for a model with `compatible: true`. Default false. */
  readonly compatible?: boolean | undefined;
  /** Content in parts, which the multimodal endpoint wants, or as text, which the text endpoint wants. Default: by the model's name. */
  readonly multimodal?: boolean | undefined;
  /** Media the model takes; what it does not take becomes a note. Default: by the model's name. */
  readonly input?: readonly DashScopeMediaKind[] | undefined;
  /** Thinking of this provider that goes back to it. Default: by the model's name, which is none for Qwen. */
  readonly replay?: DashScopeReplay | undefined;
  /** What system text in the middle of a conversation becomes: text of the user, at its place. Default: the text between `<system>` and `</system>`. */
  readonly lateSystem?: (text: string) => string;
}

/** How one list of messages is written. */
interface Style extends Pick<DashScopeProfile, 'multimodal' | 'input' | 'replay'> {
  readonly lateSystem: (text: string) => string;
}

/**
 * Messages for DashScope, in its own protocol or the compatible one. Each message of a turn that did not change is the same frozen object as last time.
 *
 * Leading system messages are one, since only the first may be of that role; media of tools come as one user message behind their
 * results; what the model cannot take becomes a note.
 */
export class DashScopeChatFormatter implements Formatter<DashScopeWireMessage[]> {
  readonly #options: DashScopeFormatterOptions;
  readonly #writers: Map<string, { readonly cut: TurnCutter; readonly known: WeakMap<Turn, readonly DashScopeWireMessage[]> }> = new Map();

  readonly #compatible: CompatibleFormatter | undefined;

  constructor(options: DashScopeFormatterOptions = {}) {
    this.#options = options;
    if (options.compatible === true) this.#compatible = new CompatibleFormatter(options, options.lateSystem ?? between);
  }

  format(messages: readonly Msg[], options: FormatOptions): DashScopeWireMessage[] {
    return this.#compatible?.format(messages, options) ?? this.#native(messages, options);
  }

  #native(messages: readonly Msg[], { tools, modelName }: FormatOptions): DashScopeWireMessage[] {
    const profile = profileFor(modelName);
    const { multimodal = profile.multimodal, input = profile.input, replay = profile.replay, lateSystem = between } = this.#options;
    const { cut, known } = this.#writer({ multimodal, input, replay });
    const turns = cut(messages, tools, modelName);
    const spoken = turns.findIndex(({ role }) => role !== 'system');
    const style: Style = { multimodal, input, replay, lateSystem };
    const wire = systemMessage(spoken < 0 ? turns : turns.slice(0, spoken), style);
    for (const turn of spoken < 0 ? [] : turns.slice(spoken)) {
      let written = known.get(turn);
      if (written === undefined) known.set(turn, (written = toWire(turn, style).map((message) => Object.freeze(message))));
      for (const message of written) wire.push(message);
    }
    return wire;
  }

  /** One for each way to write, so that what is remembered is of that way. */
  #writer({ multimodal, input, replay }: Pick<Style, 'multimodal' | 'input' | 'replay'>): { cut: TurnCutter; known: WeakMap<Turn, readonly DashScopeWireMessage[]> } {
    const way = `${multimodal ? input.join() : 'text'} ${replay}`;
    let writer = this.#writers.get(way);
    if (writer === undefined) {
      const cut = createTurnCutter({ promoteMedia: (block) => multimodal && mediaPart(block, input) !== undefined, alternate: true, opening: GO_ON, reservedNames: RESERVED_NAMES, ...(replay === 'none' ? {} : { keepThinking: isOwn }) });
      this.#writers.set(way, (writer = { cut, known: new WeakMap() }));
    }
    return writer;
  }
}

/** For conversations of several named speakers: what was said is written out between tags with their names, model calls with tools stand as ever. Options: those of the chat formatter and `MultiAgentOptions`. */
export const DashScopeMultiAgentFormatter: MultiAgentFormatterClass<DashScopeWireMessage[], DashScopeFormatterOptions> = /* @__PURE__ */ multiAgentOf(DashScopeChatFormatter);

function between(text: string): string {
  return `<system>\n${text}\n</system>`;
}

/** Said by a model of this provider. */
function isOwn({ metadata }: ThinkingBlock): boolean {
  const own = metadata?.['dashscope'];
  return isObject(own) && own['reasoning'] === true;
}

function systemMessage(turns: readonly Turn[], { multimodal }: Style): DashScopeWireMessage[] {
  const system = turns.flatMap((turn) => (turn.role === 'system' ? [turn] : []));
  if (system.length === 0) return [];
  if (multimodal) return [{ role: 'system', content: system.map((turn) => marked({ text: turn.text }, turn.cacheControl)) }];
  return [{ role: 'system', content: system.map(({ text }) => text).join('\n\n') }];
}

function toWire(turn: Turn, style: Style): readonly DashScopeWireMessage[] {
  switch (turn.role) {
    case 'system':
      return [{ role: 'user', content: style.multimodal ? [marked({ text: style.lateSystem(turn.text) }, turn.cacheControl)] : style.lateSystem(turn.text) }];
    case 'user':
      return [{ role: 'user', content: userContent(turn, style) }];
    case 'assistant':
      return assistantMessages(turn, style);
    case 'tool':
      return turn.results.map((result) => ({ role: 'tool', tool_call_id: result.id, content: resultContent(result, style) }));
  }
}

function userContent({ content }: UserTurn, { multimodal, input }: Style): unknown {
  if (!multimodal) return content.map(asText).join('\n');
  return content.map((block) => marked(block.type === 'text' ? { text: block.text } : (mediaPart(block, input) ?? { text: mediaText(block) }), cacheControlOf(block)));
}

function asText(block: TextBlock | MediaBlock): string {
  return block.type === 'text' ? block.text : mediaText(block);
}

/** Beside calls there is content too, empty where nothing was said: strict servers refuse a message without it. */
function assistantMessages({ content, calls }: AssistantTurn, { multimodal, replay }: Style): readonly DashScopeWireMessage[] {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : isMedia(block) ? [mediaNote(block)] : []));
  if (texts.length === 0 && calls.length === 0) return [];
  const thinking = replay === 'all' || calls.length > 0 ? content.flatMap((block) => (block.type === 'thinking' ? [block.thinking.toWellFormed()] : [])).join('') : '';
  const toolCalls = calls.map(({ id, name, argumentsText }) => ({ id, type: 'function', function: { name, arguments: argumentsText } }));
  return [
    {
      role: 'assistant',
      content: multimodal ? (texts.length === 0 ? [''] : texts).map((text) => ({ text })) : texts.join('\n'),
      ...(thinking === '' ? {} : { reasoning_content: thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: toolCalls }),
    },
  ];
}

/** Media that the model can take were moved behind the results. */
function resultContent({ content, cacheControl }: TurnResult, { multimodal }: Style): unknown {
  const text = content.map(asText).join('\n');
  return multimodal ? [marked({ text }, cacheControl)] : text;
}

function marked(part: DashScopePart, cacheControl: CacheControl | undefined): DashScopePart {
  return cacheControl === undefined ? part : { ...part, cache_control: { type: 'ephemeral' } };
}
