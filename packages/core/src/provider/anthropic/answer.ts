import type { NameMap } from '../../formatter/index.ts';
import { isObject, newId } from '../../internal/index.ts';
import type { JsonObject } from '../../internal/index.ts';
import type { Metadata } from '../../message/index.ts';
import { providerError, readError } from '../../model/index.ts';
import type { ChatResponseChunk, FinishReason, Increment } from '../../model/index.ts';
import { brokenAnswer, requestIdOf } from '../shared/index.ts';
import type { AnswerFacts, FrameReader } from '../shared/index.ts';
import { createBlock } from './answer-block.ts';
import type { AnswerBlock, BlockContext } from './answer-block.ts';
import { readUsage } from './usage.ts';

export interface AnthropicAnswerFacts extends AnswerFacts {
  readonly names: NameMap;
}

/**
 * One answer of the Messages API, streamed or whole. Each block has its number on the wire, and a state of its own here, so that blocks
 * may come in any order. Frames and blocks of unknown types are left alone; a frame of a known type that is malformed breaks the answer.
 */
export class AnthropicAnswer implements FrameReader {
  complete = false;
  readonly #facts: AnthropicAnswerFacts;
  readonly #blocks = new Map<number, AnswerBlock>();
  readonly #serverBlocks: JsonObject[] = [];
  /** How many of them text has taken. */
  #taken = 0;
  #increments: Increment[] = [];
  #called = false;
  #id: string | undefined;
  #model: string | undefined;
  #word: string | undefined;
  #details: JsonObject | undefined;
  #usage: JsonObject | undefined;

  constructor(facts: AnthropicAnswerFacts) {
    this.#facts = facts;
  }

  get hasNews(): boolean {
    return this.#increments.length > 0;
  }

  frame(frame: Record<string, unknown>): void {
    switch (frame['type']) {
      case 'content_block_delta':
        return this.#openBlock(frame).delta(objectIn(frame['delta']) ?? this.#refuse('a delta holds nothing'), this.#increments);
      case 'content_block_start':
        return this.#start(frame);
      case 'content_block_stop':
        return this.#openBlock(frame).stop(this.#increments);
      case 'message_start':
        return this.#shell(objectIn(frame['message']) ?? this.#refuse('the message that starts holds nothing'));
      case 'message_delta':
        return this.#shell({ ...objectIn(frame['delta']), usage: frame['usage'] });
      case 'message_stop':
        this.complete = true;
        return;
      case 'error':
        throw providerError({ ...this.#facts, body: frame });
      default:
        if (frame['type'] === undefined && readError(frame) !== undefined) throw providerError({ ...this.#facts, body: frame }); // a gateway's
    }
  }

  whole(body: unknown): void {
    const content = isObject(body) ? body['content'] : undefined;
    if (!isObject(body) || (!Array.isArray(content) && (body['type'] === 'error' || readError(body) !== undefined))) throw providerError({ ...this.#facts, body });
    if (!Array.isArray(content)) return this.#refuse('its body holds no answer');
    this.#shell(body);
    content.forEach((block: unknown, index) => {
      this.frame({ type: 'content_block_start', index, content_block: block });
      this.frame({ type: 'content_block_stop', index });
    });
    this.complete = true;
  }

  take(): ChatResponseChunk | undefined {
    if (this.#increments.length === 0) return undefined;
    const content = this.#increments;
    this.#increments = [];
    return { id: (this.#id ??= newId()), content };
  }

  last(): ChatResponseChunk {
    if (this.#word === undefined) throw brokenAnswer(this.#facts, 'It ended without a stop reason.');
    for (const block of this.#blocks.values()) if (!block.closed) block.stop(this.#increments);
    const usage = readUsage(this.#usage);
    return {
      id: (this.#id ??= newId()),
      content: this.#increments,
      ...(usage === undefined ? {} : { usage }),
      finishReason: finishReason(this.#word, this.#called),
      metadata: this.#metadata(this.#word),
    };
  }

  #metadata(word: string): Metadata {
    const requestId = requestIdOf(this.#facts.headers);
    const own = { ...(this.#details === undefined ? {} : { stopDetails: this.#details }), ...(this.#serverBlocks.length === 0 ? {} : { serverBlocks: this.#serverBlocks }) };
    return {
      providerFinishReason: word,
      ...(requestId === undefined ? {} : { requestId }),
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...(Object.keys(own).length === 0 ? {} : { anthropic: own }),
    };
  }

  /** What the beginning and the end of a message say of it as a whole. Counts are cumulative: the last value of each is the one. */
  #shell(message: Record<string, unknown>): void {
    this.#id ??= textIn(message['id']);
    this.#model ??= textIn(message['model']);
    this.#word = textIn(message['stop_reason']) ?? this.#word;
    this.#details = (objectIn(message['stop_details']) as JsonObject | undefined) ?? this.#details;
    const usage = objectIn(message['usage']);
    if (usage !== undefined) this.#usage = { ...this.#usage, ...(Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null)) as JsonObject) };
  }

  #start(frame: Record<string, unknown>): void {
    const index = this.#indexOf(frame);
    const content = objectIn(frame['content_block']) ?? this.#refuse('a block that starts holds nothing');
    if (this.#blocks.has(index)) return this.#refuse(`block ${index} starts twice`);
    const block = createBlock(content, this.#contextOf(index));
    this.#blocks.set(index, block);
    if (content['type'] === 'tool_use') this.#called = true;
    block.start(this.#increments);
  }

  #contextOf(index: number): BlockContext {
    return {
      index,
      names: this.#facts.names,
      onServerBlock: (raw) => void this.#serverBlocks.push(raw),
      takeServerBlocks: () => {
        const untaken = this.#serverBlocks.slice(this.#taken);
        this.#taken = this.#serverBlocks.length;
        return untaken;
      },
      refuse: (what) => this.#refuse(what),
    };
  }

  #openBlock(frame: Record<string, unknown>): AnswerBlock {
    const index = this.#indexOf(frame);
    const block = this.#blocks.get(index);
    return block === undefined || block.closed ? this.#refuse(`block ${index} goes on, which is not open`) : block;
  }

  #indexOf(frame: Record<string, unknown>): number {
    const { index } = frame;
    return typeof index === 'number' && Number.isInteger(index) ? index : this.#refuse('a block has no number');
  }

  #refuse(what: string): never {
    throw brokenAnswer(this.#facts, `It is malformed: ${what}.`);
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function objectIn(value: unknown): Record<string, unknown> | undefined {
  return isObject(value) ? value : undefined;
}

/** Calls that came count as calls whatever the word, except where the answer was cut, filtered or paused; calls that did not come do not. */
function finishReason(word: string, called: boolean): FinishReason {
  const known = FINISH_REASONS.get(word) ?? 'other';
  if (known === 'length' || known === 'content_filter' || known === 'pause') return known;
  if (called) return 'tool_calls';
  return known === 'tool_calls' ? 'stop' : known;
}

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content_filter'],
  ['pause_turn', 'pause'],
]);
