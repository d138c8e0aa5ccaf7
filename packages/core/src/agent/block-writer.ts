import { newId } from '../internal/index.ts';
import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { Metadata } from '../message/index.ts';
import { badStream, checkIncrement } from '../model/index.ts';
import type { Increment, ToolUseIncrement } from '../model/index.ts';

interface OpenBlock {
  readonly kind: 'text' | 'thinking' | 'data';
  readonly index: number;
  readonly blockId: string;
  metadata: Metadata | undefined;
}
interface OpenCall {
  readonly id: string;
  readonly name: string;
  hasArguments: boolean;
  metadata: Metadata | undefined;
}

export interface BlockWriterOptions {
  readonly replyId: string;
  /** Makes block ids unique in the reply: epoch and number of the model call. */
  readonly prefix: string;
  /** A summary may not call: increments of calls are dropped. */
  readonly withoutCalls?: boolean;
}

/**
 * Turns a model's increments into block events that nest cleanly: at any moment at most one text, thinking or data block is open,
 * and it has ended before a call starts.
 */
export class BlockWriter {
  readonly #options: BlockWriterOptions;
  readonly #calls = new Map<number, OpenCall>();
  /** Indexes of calls that were said to be done. */
  readonly #ended = new Set<number>();
  readonly #usedIds = new Set<string>();
  #open: OpenBlock | undefined;
  #blocks = 0;

  constructor(options: BlockWriterOptions) {
    this.#options = options;
  }

  /** Appends the events of these increments to `events`. */
  write(increments: readonly Increment[], events: AgentEvent[]): void {
    for (const increment of increments) {
      checkIncrement(increment);
      if (increment.type === 'tool_use') this.#writeCall(increment, events);
      else this.#writeBlock(increment, events);
    }
  }

  /** Ends whatever is open: at the end of the answer, after an error and after an abort alike. */
  close(events: AgentEvent[]): void {
    this.#closeBlock(events);
    for (const index of [...this.#calls.keys()]) this.#closeCall(index, events);
  }

  #writeBlock(increment: Exclude<Increment, ToolUseIncrement>, events: AgentEvent[]): void {
    const block = this.#blockFor(increment, events);
    if (increment.metadata) block.metadata = { ...block.metadata, ...increment.metadata };
    const { replyId } = this.#options;
    const { blockId } = block;
    if (increment.type === 'text') {
      if (increment.text !== '') events.push({ type: 'TEXT_BLOCK_DELTA', id: '', createdAt: '', replyId, blockId, delta: increment.text });
    } else if (increment.type === 'thinking') {
      if (increment.thinking !== '') events.push({ type: 'THINKING_BLOCK_DELTA', id: '', createdAt: '', replyId, blockId, delta: increment.thinking });
    } else {
      const { data } = increment;
      const mediaType = data.mediaType === undefined ? {} : { mediaType: data.mediaType };
      events.push(createEvent('DATA_BLOCK_DELTA', { replyId, blockId, ...mediaType, ...(data.type === 'url' ? { delta: '', url: data.url } : { delta: data.data }) }));
    }
    if (increment.done) this.#closeBlock(events);
  }

  #blockFor(increment: Exclude<Increment, ToolUseIncrement>, events: AgentEvent[]): OpenBlock {
    const kind = increment.type;
    if (this.#open !== undefined && this.#open.index === increment.index && this.#open.kind === kind) return this.#open;
    this.#closeBlock(events);
    const block: OpenBlock = { kind, index: increment.index, blockId: `${this.#options.prefix}.${++this.#blocks}`, metadata: undefined };
    this.#open = block;
    const where = { replyId: this.#options.replyId, blockId: block.blockId };
    if (increment.type === 'text') events.push(createEvent('TEXT_BLOCK_START', where));
    else if (increment.type === 'thinking') events.push(createEvent('THINKING_BLOCK_START', where));
    else events.push(createEvent('DATA_BLOCK_START', { ...where, ...mediaFields(increment.data.mediaType, increment.name) }));
    return block;
  }

  #closeBlock(events: AgentEvent[]): void {
    const block = this.#open;
    if (!block) return;
    this.#open = undefined;
    const fields = { replyId: this.#options.replyId, blockId: block.blockId, ...blockMetadata(block.metadata) };
    const type = block.kind === 'text' ? 'TEXT_BLOCK_END' : block.kind === 'thinking' ? 'THINKING_BLOCK_END' : 'DATA_BLOCK_END';
    events.push(createEvent(type, fields));
  }

  #writeCall(increment: ToolUseIncrement, events: AgentEvent[]): void {
    if (this.#options.withoutCalls) return;
    if (this.#ended.has(increment.index)) throw badStream(`increment ${increment.index} goes on with a call that was done`);
    const call = this.#calls.get(increment.index) ?? this.#openCall(increment, events);
    if (increment.metadata) call.metadata = { ...call.metadata, ...increment.metadata };
    if (increment.content !== '') this.#writeArguments(call, increment.content, events);
    if (increment.done) this.#closeCall(increment.index, events);
  }

  #openCall({ index, id, name = '' }: ToolUseIncrement, events: AgentEvent[]): OpenCall {
    this.#closeBlock(events);
    const call: OpenCall = { id: this.#uniqueId(id), name, hasArguments: false, metadata: undefined };
    this.#calls.set(index, call);
    events.push(createEvent('TOOL_CALL_START', this.#fields(call)));
    return call;
  }

  #writeArguments(call: OpenCall, delta: string, events: AgentEvent[]): void {
    call.hasArguments = true;
    events.push({ type: 'TOOL_CALL_DELTA', id: '', createdAt: '', replyId: this.#options.replyId, toolCallId: call.id, toolCallName: call.name, delta });
  }

  /** Every call says its arguments at least once, also when there are none (WIRE §3.4, rule 3). */
  #closeCall(index: number, events: AgentEvent[]): void {
    const call = this.#calls.get(index);
    if (!call) return;
    this.#calls.delete(index);
    this.#ended.add(index);
    if (!call.hasArguments) this.#writeArguments(call, '{}', events);
    events.push(createEvent('TOOL_CALL_END', { ...this.#fields(call), ...blockMetadata(call.metadata) }));
  }

  #fields(call: OpenCall): { replyId: string; toolCallId: string; toolCallName: string } {
    return { replyId: this.#options.replyId, toolCallId: call.id, toolCallName: call.name };
  }

  /** A model that gives two calls of one answer the same id gets a new one for the second. */
  #uniqueId(id: string): string {
    let unique = id || newId();
    for (let n = 2; this.#usedIds.has(unique); n++) unique = `${id}_${n}`;
    this.#usedIds.add(unique);
    return unique;
  }
}

function blockMetadata(metadata: Metadata | undefined): { metadata?: Metadata } {
  return metadata ? { metadata: { block: metadata } } : {};
}

function mediaFields(mediaType: string | undefined, name: string | undefined): { mediaType?: string; name?: string } {
  return { ...(mediaType === undefined ? {} : { mediaType }), ...(name === undefined ? {} : { name }) };
}
