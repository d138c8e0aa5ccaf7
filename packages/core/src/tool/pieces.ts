import { isObject } from '../internal/index.ts';
import { readBlock } from '../message/index.ts';
import type { BlockType, ContentBlock, TextBlock } from '../message/index.ts';
import { jsonCopy } from './json-copy.ts';
import { messageOf } from './thrown.ts';
import { isToolOutput } from './tool-result.ts';
import type { ToolCustomEvent, ToolOutput } from './tool.ts';

/** What a tool shows at once: a piece of its result, or an event beside it. */
export type Piece = ContentBlock | ToolCustomEvent;

/**
 * What a tool emitted or yielded, as it may go on record: text, a block, an event, a `toolResult(…)`, or any other value as JSON text.
 * Copied, so that the tool cannot change it afterwards.
 *
 * @throws TypeError saying what is not JSON-safe, or no block
 */
export function piecesOf(chunk: unknown): readonly Piece[] {
  if (typeof chunk === 'string') return [{ type: 'text', text: chunk }];
  if (isToolOutput(chunk)) return checkedOutput(chunk).content;
  if (isObject(chunk) && chunk['type'] === 'CUSTOM') return [customEvent(chunk)];
  if (isBlock(chunk)) return [checkedBlock(chunk, 'The emitted block')];
  return [{ type: 'text', text: toJsonText(chunk) }];
}

/** A result as it may go on record, copied. @throws TypeError saying what is not JSON-safe, or no block */
export function checkedOutput({ content, state, metadata }: ToolOutput): ToolOutput {
  const given: unknown = state;
  if (given !== 'success' && given !== 'error') throw new TypeError(`The state of a tool's result is "success" or "error", not ${JSON.stringify(String(given).slice(0, 40))}.`);
  const copy = jsonCopy(metadata, "The metadata of the tool's result");
  if (!isObject(copy)) throw new TypeError("The metadata of the tool's result is no object.");
  return { content: content.map((block, at) => checkedBlock(block, `Block ${at + 1} of the tool's result`)), state, metadata: copy };
}

/** JSON text of a value a tool returned, so that the model is not told `{}`. @throws TypeError when it is not JSON-safe */
export function toJsonText(value: unknown): string {
  return JSON.stringify(jsonCopy(value, 'What the tool returned'));
}

/** Streamed pieces as blocks: neighbouring text becomes one block, events are no part of a result. */
export function joinPieces(pieces: readonly Piece[]): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  let run: string[] = [];
  const endRun = (): void => {
    if (run.length > 0) blocks.push({ type: 'text', text: run.join('') });
    run = [];
  };
  for (const piece of pieces) {
    if (piece.type === 'CUSTOM') continue;
    if (isPlainText(piece)) run.push(piece.text);
    else {
      endRun();
      blocks.push(piece);
    }
  }
  endRun();
  return blocks;
}

/** By the rules of a message's content, which is where it ends up. */
function checkedBlock(block: unknown, what: string): ContentBlock {
  const copy = jsonCopy(block, what);
  try {
    return readBlock(copy, { path: 'block', unknown: 'invalid' });
  } catch (error) {
    throw new TypeError(`${what} is no block of content: ${messageOf(error)}`, { cause: error });
  }
}

/** Only what a tool may say of an event: whose it is, is not its to choose. */
function customEvent({ name, value }: Record<string, unknown>): ToolCustomEvent {
  if (typeof name !== 'string' || name === '') throw new TypeError('An event of type CUSTOM needs a name.');
  if (value === undefined) return { type: 'CUSTOM', name } as ToolCustomEvent;
  return { type: 'CUSTOM', name, value: jsonCopy(value, `The value of the event "${name}"`) } as ToolCustomEvent;
}

function isPlainText(block: ContentBlock): block is TextBlock {
  return block.type === 'text' && block.id === undefined && block.metadata === undefined;
}

const BLOCK_TYPES: Readonly<Record<BlockType, true>> = {
  text: true, thinking: true, data: true, image: true, audio: true, video: true, tool_use: true, tool_result: true, hint: true,
};

function isBlock(value: unknown): boolean {
  return isObject(value) && typeof value['type'] === 'string' && Object.hasOwn(BLOCK_TYPES, value['type']);
}
