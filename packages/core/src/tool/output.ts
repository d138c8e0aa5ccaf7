import { isObject } from '../internal/index.ts';
import type { BlockType, ContentBlock, TextBlock, ToolResultState } from '../message/index.ts';
import { OutputLimit } from './output-limit.ts';
import { isToolOutput } from './tool-result.ts';
import type { ToolCustomEvent, ToolOutput, ToolSink } from './tool.ts';

/** Collects what one run of a tool says: pieces go to the sink at once, the rest is the result. */
export class OutputCollector {
  readonly #sink: ToolSink;
  readonly #limit = new OutputLimit();
  #streamed = false;
  #atLineStart = true;

  constructor(sink: ToolSink) {
    this.#sink = sink;
  }

  /** Shows one chunk now: text, a block, an event, or a value as JSON. @throws TypeError when it is not JSON-safe. */
  show(chunk: unknown): void {
    if (typeof chunk === 'string') this.#showText({ type: 'text', text: chunk });
    else if (isToolOutput(chunk)) chunk.content.forEach((block) => this.#showBlock(block));
    else if (isCustomEvent(chunk)) this.#sink(chunk);
    else if (isBlock(chunk)) this.#showBlock(chunk);
    else this.#showText({ type: 'text', text: toJsonText(chunk) });
  }

  /** The result for what the tool returned. @throws TypeError when it is not JSON-safe. */
  result(value: unknown): ToolOutput {
    if (isToolOutput(value)) return { content: this.#close(value.content), state: value.state, metadata: value.metadata };
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

/** Any value as the result a tool that returned it would have. @throws TypeError when it is not JSON-safe. */
export function toOutput(value: unknown): ToolOutput {
  return new OutputCollector(() => undefined).result(value);
}

/** Streamed pieces as blocks: neighbouring text becomes one block, events are no part of a result. */
export function joinPieces(pieces: readonly (ContentBlock | ToolCustomEvent)[]): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  let run: string[] = [];
  const endRun = (): void => {
    if (run.length > 0) blocks.push({ type: 'text', text: run.join('') });
    run = [];
  };
  for (const piece of pieces) {
    if (isCustomEvent(piece)) continue;
    if (isPlainText(piece)) run.push(piece.text);
    else {
      endRun();
      blocks.push(piece);
    }
  }
  endRun();
  return blocks;
}

/** What an error says, without its stack; whatever was thrown. */
export function messageOf(error: unknown): string {
  try {
    if (error instanceof Error) return error.message === '' ? error.name : error.message;
    return isObject(error) && typeof error['message'] === 'string' ? error['message'] : String(error);
  } catch {
    return 'something that cannot be shown was thrown';
  }
}

/** JSON text of a value a tool returned. What JSON would lose in silence is refused, so that the model is not told `{}`. */
function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value, refuseWhatIsLost) ?? refuse(typeof value);
  } catch (error) {
    throw new TypeError(`The tool returned a value that is not JSON-safe: ${messageOf(error)}`, { cause: error });
  }
}

function refuseWhatIsLost(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) refuse(String(value));
  if (typeof value === 'bigint') refuse('a bigint');
  if (value instanceof Map) refuse('a Map');
  if (value instanceof Set) refuse('a Set');
  return value;
}

function refuse(what: string): never {
  throw new TypeError(`${what} has no JSON form`);
}

function isPlainText(block: ContentBlock): block is TextBlock {
  return block.type === 'text' && block.id === undefined && block.metadata === undefined;
}

const BLOCK_TYPES: Readonly<Record<BlockType, true>> = {
  text: true, thinking: true, data: true, image: true, audio: true, video: true, tool_use: true, tool_result: true, hint: true,
};

function isBlock(value: unknown): value is ContentBlock {
  return isObject(value) && typeof value['type'] === 'string' && Object.hasOwn(BLOCK_TYPES, value['type']);
}

function isCustomEvent(value: unknown): value is ToolCustomEvent {
  return isObject(value) && value['type'] === 'CUSTOM' && typeof value['name'] === 'string';
}
