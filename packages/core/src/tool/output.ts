import type { ContentBlock, TextBlock, ToolResultState } from '../message/index.ts';
import { OutputLimit } from './output-limit.ts';
import { checkedOutput, piecesOf, toJsonText } from './pieces.ts';
import { messageOf } from './thrown.ts';
import { isToolOutput } from './tool-result.ts';
import type { ToolOutput, ToolSink } from './tool.ts';

/** Collects what one run of a tool says: pieces go to the sink at once, the rest is the result. */
export class OutputCollector {
  readonly #sink: ToolSink;
  readonly #limit = new OutputLimit();
  #streamed = false;
  #atLineStart = true;

  constructor(sink: ToolSink) {
    this.#sink = sink;
  }

  /** Shows one chunk now: text, a block, an event, or a value as JSON. @throws TypeError when it may not go on record; nothing of it is shown then. */
  show(chunk: unknown): void {
    for (const piece of piecesOf(chunk)) {
      if (piece.type === 'CUSTOM') this.#sink(piece);
      else this.#showBlock(piece);
    }
  }

  /** The result for what the tool returned. @throws TypeError when it may not go on record. */
  result(value: unknown): ToolOutput {
    if (isToolOutput(value)) return this.#whatItMade(checkedOutput(value));
    if (value === undefined) return this.#text('success', this.#streamed ? '' : 'The tool returned nothing.');
    return this.#text('success', typeof value === 'string' ? value : toJsonText(value));
  }

  /** A result that failed. What had come stays. */
  failure(error: unknown): ToolOutput {
    return this.ended('error', `[ERROR] ${messageOf(error)}`);
  }

  /** A result that ends with a reason of ours, on a line of its own. */
  ended(state: ToolResultState, reason: string): ToolOutput {
    return this.#text(state, this.#atLineStart ? reason : `\n${reason}`);
  }

  #whatItMade({ content, state, metadata }: ToolOutput): ToolOutput {
    return { content: this.#close(content), state, metadata };
  }

  #text(state: ToolResultState, text: string): ToolOutput {
    return { content: this.#close(text === '' && this.#streamed ? [] : [{ type: 'text', text }]), state, metadata: {} };
  }

  #showBlock(block: ContentBlock): void {
    if (block.type === 'text') return this.#showText(block);
    this.#showText({ type: 'text', text: '' }, this.#limit.rest());
    this.#streamed = true;
    this.#sink(block);
  }

  #showText(block: TextBlock, text = this.#limit.piece(block.text)): void {
    this.#streamed ||= block.text !== ''; // also when all of it waits or was cut
    if (text === '') return;
    this.#atLineStart = text.endsWith('\n');
    this.#sink(text === block.text ? block : { ...block, text });
  }

  #close(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
    const content = blocks.map((block) => (block.type === 'text' ? this.#whole(block) : block));
    const tail = this.#limit.rest() + this.#limit.marker();
    if (tail === '') return content;
    const last = content.at(-1);
    return last?.type === 'text' ? [...content.slice(0, -1), { ...last, text: last.text + tail }] : [...content, { type: 'text', text: tail }];
  }

  #whole(block: TextBlock): TextBlock {
    const text = this.#limit.piece(block.text) + this.#limit.rest();
    return text === block.text ? block : { ...block, text };
  }
}

/** Any value as the result a tool that returned it would have. @throws TypeError when it may not go on record: not JSON-safe, or no block. */
export function toOutput(value: unknown): ToolOutput {
  return new OutputCollector(() => undefined).result(value);
}
