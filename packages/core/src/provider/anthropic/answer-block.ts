import type { NameMap } from '../../formatter/index.ts';
import { newId } from '../../internal/index.ts';
import type { JsonObject, JsonValue } from '../../internal/index.ts';
import type { Increment } from '../../model/index.ts';

/** One block of an answer while it grows. */
export interface AnswerBlock {
  readonly closed: boolean;
  start(out: Increment[]): void;
  delta(delta: Record<string, unknown>, out: Increment[]): void;
  stop(out: Increment[]): void;
}

export interface BlockContext {
  readonly index: number;
  readonly names: NameMap;
  /** A block of a tool that the provider ran itself, as it came. */
  onServerBlock(raw: JsonObject): void;
  /** Those that came since the last text. */
  takeServerBlocks(): readonly JsonObject[];
  refuse(what: string): never;
}

export function createBlock(content: Record<string, unknown>, context: BlockContext): AnswerBlock {
  switch (content['type']) {
    case 'text':
      return new TextAnswer(content, context);
    case 'thinking':
    case 'redacted_thinking':
      return new ThinkingAnswer(content, context);
    case 'tool_use':
      return new CallAnswer(content, context);
    default:
      return new ServerAnswer(content, context);
  }
}

/** Text keeps what it is based on: citations, and what tools of the provider said right before it. */
class TextAnswer implements AnswerBlock {
  closed = false;
  readonly #index: number;
  readonly #context: BlockContext;
  readonly #first: string;
  readonly #citations: JsonValue[] = [];

  constructor(content: Record<string, unknown>, context: BlockContext) {
    this.#context = context;
    this.#index = context.index;
    this.#first = typeof content['text'] === 'string' ? content['text'] : '';
    if (Array.isArray(content['citations'])) this.#citations.push(...(content['citations'] as JsonValue[]));
  }

  start(out: Increment[]): void {
    if (this.#first !== '') out.push({ type: 'text', index: this.#index, text: this.#first });
  }

  delta(delta: Record<string, unknown>, out: Increment[]): void {
    const { type, text } = delta;
    if (type === 'text_delta') out.push({ type: 'text', index: this.#index, text: typeof text === 'string' ? text : this.#context.refuse('a text delta holds no text') });
    else if (type === 'citations_delta') this.#citations.push((delta['citation'] ?? null) as JsonValue);
    else refuseForeign(type, 'text', this.#context);
  }

  stop(out: Increment[]): void {
    this.closed = true;
    const serverBlocks = this.#context.takeServerBlocks();
    if (this.#citations.length === 0 && serverBlocks.length === 0) return;
    const own = { ...(this.#citations.length === 0 ? {} : { citations: this.#citations }), ...(serverBlocks.length === 0 ? {} : { serverBlocks }) };
    out.push({ type: 'text', index: this.#index, text: '', metadata: { anthropic: own } });
  }
}

/** What has to go back exactly: the signature of thinking, the data of redacted thinking. */
class ThinkingAnswer implements AnswerBlock {
  closed = false;
  readonly #content: Record<string, unknown>;
  readonly #context: BlockContext;
  #signature: string;

  constructor(content: Record<string, unknown>, context: BlockContext) {
    this.#content = content;
    this.#context = context;
    this.#signature = typeof content['signature'] === 'string' ? content['signature'] : '';
  }

  start(out: Increment[]): void {
    const { thinking, data, type } = this.#content;
    const { index } = this.#context;
    if (type === 'redacted_thinking') out.push({ type: 'thinking', index, thinking: '', metadata: { anthropic: { redacted: typeof data === 'string' ? data : this.#context.refuse('redacted thinking holds no data') } } });
    else if (typeof thinking === 'string' && thinking !== '') out.push({ type: 'thinking', index, thinking });
  }

  delta(delta: Record<string, unknown>, out: Increment[]): void {
    const { type, thinking, signature } = delta;
    if (type === 'thinking_delta') out.push({ type: 'thinking', index: this.#context.index, thinking: typeof thinking === 'string' ? thinking : this.#context.refuse('a thinking delta holds no thinking') });
    else if (type === 'signature_delta') this.#signature += typeof signature === 'string' ? signature : this.#context.refuse('a signature delta holds no signature');
    else refuseForeign(type, 'thinking', this.#context);
  }

  stop(out: Increment[]): void {
    this.closed = true;
    if (this.#signature !== '') out.push({ type: 'thinking', index: this.#context.index, thinking: '', metadata: { anthropic: { signature: this.#signature } } });
  }
}

/** Arguments come in pieces; some servers give them whole, at the start. */
class CallAnswer implements AnswerBlock {
  closed = false;
  readonly #content: Record<string, unknown>;
  readonly #context: BlockContext;
  readonly #id: string;
  #hasPieces = false;

  constructor(content: Record<string, unknown>, context: BlockContext) {
    this.#content = content;
    this.#context = context;
    this.#id = typeof content['id'] === 'string' && content['id'] !== '' ? content['id'] : newId();
  }

  start(out: Increment[]): void {
    const { name } = this.#content;
    out.push({ type: 'tool_use', index: this.#context.index, id: this.#id, name: this.#context.names.fromWire(typeof name === 'string' ? name : ''), content: '' });
  }

  delta(delta: Record<string, unknown>, out: Increment[]): void {
    const { type, partial_json: piece } = delta;
    if (type !== 'input_json_delta') return refuseForeign(type, 'tool_use', this.#context);
    if (typeof piece !== 'string') return this.#context.refuse('a delta of arguments holds no text');
    if (piece === '') return;
    this.#hasPieces = true;
    out.push({ type: 'tool_use', index: this.#context.index, id: this.#id, content: piece });
  }

  stop(out: Increment[]): void {
    this.closed = true;
    const { input } = this.#content;
    const whole = this.#hasPieces || input === undefined || input === null ? '{}' : typeof input === 'string' ? input : JSON.stringify(input);
    if (whole !== '{}') out.push({ type: 'tool_use', index: this.#context.index, id: this.#id, content: whole });
  }
}

/** Tools of the provider, and types nobody knew yet: never executed, kept as they came. */
class ServerAnswer implements AnswerBlock {
  closed = false;
  readonly #content: Record<string, unknown>;
  readonly #context: BlockContext;
  #input = '';

  constructor(content: Record<string, unknown>, context: BlockContext) {
    this.#content = content;
    this.#context = context;
  }

  start(): void {}

  delta({ partial_json: piece }: Record<string, unknown>): void {
    if (typeof piece === 'string') this.#input += piece;
  }

  stop(): void {
    this.closed = true;
    const input = parsed(this.#input);
    this.#context.onServerBlock({ ...this.#content, ...(input === undefined ? {} : { input }) } as JsonObject);
  }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return text === '' ? undefined : (JSON.parse(text) as JsonValue);
  } catch {
    return text;
  }
}

const DELTA_TYPES: ReadonlySet<unknown> = new Set(['text_delta', 'thinking_delta', 'signature_delta', 'input_json_delta']);

/** A delta of a known type in the wrong block is a broken answer; one of an unknown type is nothing to us. */
function refuseForeign(type: unknown, block: string, { refuse }: BlockContext): void {
  if (DELTA_TYPES.has(type) || typeof type !== 'string') refuse(`a ${typeof type === 'string' ? type : 'delta without type'} stands in a ${block} block`);
}
