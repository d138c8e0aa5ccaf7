import { cacheControlOf, createTurnCutter, GO_ON, isMedia, mediaNote, multiAgentOf } from '../../formatter/index.ts';
import type { AssistantTurn, CacheControl, FormatOptions, Formatter, MultiAgentFormatterClass, ToolTurn, Turn, TurnCutter, TurnResult, UserTurn } from '../../formatter/index.ts';
import { isObject } from '../../internal/index.ts';
import type { Msg, ThinkingBlock } from '../../message/index.ts';
import { withinImageLimit } from './image-limit.ts';
import { mediaBlock } from './media.ts';
import { cacheMark } from './wire.ts';
import type { AnthropicWire, AnthropicWireBlock, AnthropicWireMessage } from './wire.ts';

export interface AnthropicFormatterOptions {
  /** What system text in the middle of a conversation becomes: text of the user, at its place. Default: the text between `<system>` and `</system>`. */
  readonly lateSystem?: (text: string) => string;
}

/**
 * Messages for the Messages API. Turns of one side stand in one message, results first, as the API wants them. A message whose turns did
 * not change is the same frozen object as last time.
 *
 * Thinking goes back exactly, with its signature or as the redacted data it came as; thinking of others, or cut off before its signature
 * came, stays here. System text in the middle of a conversation becomes marked user text at its place. What cannot be shown is said.
 */
export class AnthropicChatFormatter implements Formatter<AnthropicWire> {
  readonly #cut: TurnCutter = createTurnCutter({ keepThinking, alternate: true, opening: GO_ON, maxIdLength: 64, badIdCharacters: /[^a-zA-Z0-9_-]/g });
  readonly #lateSystem: (text: string) => string;
  readonly #blocks: WeakMap<Turn, readonly AnthropicWireBlock[]> = new WeakMap();
  readonly #messages: WeakMap<Turn, { readonly turns: readonly Turn[]; readonly message: AnthropicWireMessage }> = new WeakMap();

  constructor({ lateSystem = (text) => `<system>\n${text}\n</system>` }: AnthropicFormatterOptions = {}) {
    this.#lateSystem = lateSystem;
  }

  format(messages: readonly Msg[], { tools, modelName }: FormatOptions): AnthropicWire {
    const turns = this.#cut(messages, tools, modelName);
    const start = turns.findIndex((turn) => turn.role !== 'system');
    const leading = start < 0 ? turns : turns.slice(0, start);
    return {
      system: leading.flatMap((turn) => (turn.role === 'system' ? [marked({ type: 'text', text: turn.text }, turn.cacheControl)] : [])),
      messages: withinImageLimit(grouped(start < 0 ? [] : turns.slice(start), (turn) => this.#blocksOf(turn).length === 0).flatMap((group) => this.#message(group))),
    };
  }

  /** Nothing where the turns say nothing that may be sent. */
  #message(turns: readonly Turn[]): readonly AnthropicWireMessage[] {
    const [first] = turns;
    if (first === undefined) return [];
    const known = this.#messages.get(first);
    if (known !== undefined && known.turns.length === turns.length && known.turns.every((turn, at) => turn === turns[at])) return [known.message];
    const content = turns.flatMap((turn) => this.#blocksOf(turn));
    if (content.length === 0) return [];
    const message: AnthropicWireMessage = Object.freeze({ role: first.role === 'assistant' ? 'assistant' : 'user', content });
    this.#messages.set(first, { turns, message });
    return [message];
  }

  #blocksOf(turn: Turn): readonly AnthropicWireBlock[] {
    let blocks = this.#blocks.get(turn);
    if (blocks === undefined) this.#blocks.set(turn, (blocks = toBlocks(turn, this.#lateSystem)));
    return blocks;
  }
}

/** For conversations of several named speakers: what was said is written out between tags with their names, model calls with tools stand as ever. Options: those of the chat formatter and `MultiAgentOptions`. */
export const AnthropicMultiAgentFormatter: MultiAgentFormatterClass<AnthropicWire, AnthropicFormatterOptions> = /* @__PURE__ */ multiAgentOf(AnthropicChatFormatter);

/** Signed or redacted by this API; judged by what is there, since stored data may be damaged. */
function keepThinking(block: ThinkingBlock): boolean {
  return thinkingBlock(block) !== undefined;
}

/** Turns of one side, together. An assistant's turn that says nothing here is left out, so that its neighbours meet. */
function grouped(turns: readonly Turn[], isEmpty: (turn: Turn) => boolean): readonly (readonly Turn[])[] {
  const groups: Turn[][] = [];
  let side: 'user' | 'assistant' | undefined;
  for (const turn of turns) {
    const own = turn.role === 'assistant' ? 'assistant' : 'user';
    if (own === 'assistant' && isEmpty(turn)) continue;
    if (own !== side) groups.push([]);
    side = own;
    groups.at(-1)?.push(turn);
  }
  return groups;
}

function toBlocks(turn: Turn, lateSystem: (text: string) => string): readonly AnthropicWireBlock[] {
  switch (turn.role) {
    case 'system':
      return [marked({ type: 'text', text: lateSystem(turn.text) }, turn.cacheControl)];
    case 'user':
      return userBlocks(turn);
    case 'assistant':
      return assistantBlocks(turn);
    case 'tool':
      return resultBlocks(turn);
  }
}

function userBlocks({ content }: UserTurn): readonly AnthropicWireBlock[] {
  return content.map((block) => marked(block.type === 'text' ? { type: 'text', text: block.text } : mediaBlock(block), cacheControlOf(block)));
}

/** The last block of an assistant is no thinking: such thinking led to nothing. */
function assistantBlocks({ content }: AssistantTurn): readonly AnthropicWireBlock[] {
  const blocks = content.flatMap((block): readonly AnthropicWireBlock[] => {
    if (block.type === 'thinking') return thinkingBlock(block) ?? [];
    if (block.type === 'call') return [marked({ type: 'tool_use', id: block.id, name: block.name, input: block.input }, cacheControlOf(block.block))];
    return [isMedia(block) ? textNote(block) : marked({ type: 'text', text: block.text }, cacheControlOf(block))];
  });
  const last = blocks.findLastIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
  return blocks.slice(0, last + 1);
}

function textNote(block: Parameters<typeof mediaBlock>[0]): AnthropicWireBlock {
  return { type: 'text', text: mediaNote(block) };
}

function thinkingBlock({ thinking, metadata }: ThinkingBlock): readonly AnthropicWireBlock[] | undefined {
  const own = metadata?.['anthropic'];
  if (!isObject(own)) return undefined;
  const { signature, redacted } = own;
  if (typeof redacted === 'string' && redacted !== '') return [{ type: 'redacted_thinking', data: redacted }];
  return typeof signature === 'string' && signature !== '' ? [{ type: 'thinking', thinking: thinking.toWellFormed(), signature }] : undefined;
}

function resultBlocks({ results }: ToolTurn): readonly AnthropicWireBlock[] {
  return results.map((result) => marked({ type: 'tool_result', tool_use_id: result.id, content: resultContent(result), ...(result.state === 'success' ? {} : { is_error: true }) }, result.cacheControl));
}

function resultContent({ content }: TurnResult): unknown {
  const [first] = content;
  if (content.length === 1 && first?.type === 'text') return first.text;
  return content.map((block) => (block.type === 'text' ? { type: 'text', text: block.text } : mediaBlock(block)));
}

function marked(block: AnthropicWireBlock, cacheControl: CacheControl | undefined): AnthropicWireBlock {
  return cacheControl === undefined ? block : { ...block, cache_control: cacheMark(cacheControl) };
}
