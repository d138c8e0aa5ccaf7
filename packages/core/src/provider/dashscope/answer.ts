import { isObject, newId } from '../../internal/index.ts';
import type { JsonObject } from '../../internal/index.ts';
import type { NameMap } from '../../formatter/index.ts';
import type { Metadata } from '../../message/index.ts';
import { providerError, readError } from '../../model/index.ts';
import type { ChatResponseChunk, FinishReason, Increment } from '../../model/index.ts';
import { ToolCallReader } from '../shared/chat/index.ts';
import { brokenAnswer, requestIdOf } from '../shared/index.ts';
import type { AnswerFacts, FrameReader } from '../shared/index.ts';
import { clarified, ERROR_CODES } from './errors.ts';
import { SoFar } from './so-far.ts';
import { readUsage } from './usage.ts';

export interface DashScopeAnswerFacts extends AnswerFacts {
  readonly names: NameMap;
  /** Each piece says only what is new, as the request asked; else everything so far. */
  readonly incremental: boolean;
  /** What of the request DashScope has no word for. */
  readonly ignored: readonly string[];
}

type Flow = 'text' | 'thinking';

/** One answer in DashScope's own protocol: every frame is a response whose message is what is new, or all so far; the one with a finish reason is the last. */
export class DashScopeAnswer implements FrameReader {
  readonly #facts: DashScopeAnswerFacts;
  readonly #calls: ToolCallReader;
  readonly #soFar: SoFar | undefined;
  readonly #media = new Set<string>();
  #increments: Increment[] = [];
  #next = 0;
  #flow: Flow | undefined;
  #requestId: string | undefined;
  #ownId: string | undefined;
  #word: string | undefined;
  #usage: JsonObject | undefined;

  constructor(facts: DashScopeAnswerFacts) {
    this.#facts = facts;
    this.#calls = new ToolCallReader(facts.names, { name: 'dashscope', deltas: 'new' });
    if (!facts.incremental) this.#soFar = new SoFar(() => brokenAnswer(facts, 'A piece of it does not go on from the one before.'));
  }

  get hasNews(): boolean {
    return this.#increments.length > 0;
  }

  get complete(): boolean {
    return this.#word !== undefined;
  }

  get increments(): Increment[] {
    return this.#increments;
  }

  readonly openBlock = (): number => {
    this.#flow = undefined;
    return this.#next++;
  };

  frame(frame: Record<string, unknown>): void {
    const { output, usage } = frame;
    if ((output === undefined || frame['code'] !== undefined) && readError(frame) !== undefined) throw providerError({ ...this.#facts, codes: ERROR_CODES, body: clarified(frame) });
    this.#requestId ??= textIn(frame['request_id']);
    if (isObject(usage)) this.#usage = usage as JsonObject;
    if (isObject(output)) this.#output(output);
  }

  whole(body: unknown): void {
    if (isObject(body)) this.frame(body);
    if (!this.complete) throw brokenAnswer(this.#facts, 'Its body holds no answer.');
  }

  take(): ChatResponseChunk | undefined {
    if (this.#increments.length === 0) return undefined;
    const content = this.#increments;
    this.#increments = [];
    return { id: this.#id, content };
  }

  last(): ChatResponseChunk {
    if (this.#word === undefined) throw brokenAnswer(this.#facts, 'It ended without a finish reason.');
    this.#calls.end(this);
    const usage = readUsage(this.#usage);
    return {
      id: this.#id,
      content: this.#increments,
      ...(usage === undefined ? {} : { usage }),
      finishReason: finishReason(this.#word, this.#calls.count > 0),
      metadata: this.#metadata(this.#word),
    };
  }

  get #id(): string {
    return (this.#ownId ??= this.#requestId ?? newId());
  }

  /** With `result_format: text`, which only an open door asks for, there is no message. */
  #output(output: Record<string, unknown>): void {
    const { choices } = output;
    const choice: unknown = Array.isArray(choices) ? choices[0] : { message: { content: output['text'] }, finish_reason: output['finish_reason'] };
    if (!isObject(choice)) return;
    if (isObject(choice['message'])) this.#message(choice['message']);
    const word = textIn(choice['finish_reason']);
    if (word !== undefined && word !== 'null') this.#word = word;
  }

  /** Thinking first: where both come together it was thought before it was said. */
  #message({ reasoning_content: thinking, content, tool_calls: calls }: Record<string, unknown>): void {
    if (typeof thinking === 'string') this.#say('thinking', thinking);
    if (typeof content === 'string') this.#say('text', content);
    else if (Array.isArray(content)) this.#parts(content.filter(isObject));
    if (Array.isArray(calls)) this.#calls.read(this.#soFar?.newInCalls(calls) ?? calls, this);
  }

  /** Media that a model made come as addresses, each once. */
  #parts(parts: readonly Record<string, unknown>[]): void {
    this.#say('text', parts.map(({ text }) => (typeof text === 'string' ? text : '')).join(''));
    for (const part of parts) for (const kind of ['image', 'audio', 'video'] as const) this.#show(kind, textIn(part[kind]));
  }

  #show(kind: 'image' | 'audio' | 'video', url: string | undefined): void {
    if (url === undefined || this.#media.has(url)) return;
    this.#media.add(url);
    this.#increments.push({ type: 'data', index: this.openBlock(), data: { type: 'url', url, mediaType: `${kind}/*` }, done: true });
  }

  #say(flow: Flow, said: string): void {
    const text = this.#soFar?.newIn(flow, said) ?? said;
    if (text === '') return;
    const opens = this.#flow !== flow;
    if (opens) {
      this.#flow = flow;
      this.#next++;
    }
    const index = this.#next - 1;
    if (flow === 'text') this.#increments.push({ type: 'text', index, text });
    else this.#increments.push({ type: 'thinking', index, thinking: text, ...(opens ? { metadata: { dashscope: { reasoning: true } } } : {}) });
  }

  #metadata(word: string): Metadata {
    const requestId = this.#requestId ?? requestIdOf(this.#facts.headers);
    return {
      providerFinishReason: word,
      ...(requestId === undefined ? {} : { requestId }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...(this.#facts.ignored.length === 0 ? {} : { ignored: this.#facts.ignored }),
    };
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Calls that came count whatever the word, except where the answer was cut or filtered; calls that did not come do not. */
function finishReason(word: string, called: boolean): FinishReason {
  if (word === 'length') return 'length';
  if (word === 'content_filter') return 'content_filter';
  if (called) return 'tool_calls';
  return word === 'stop' || word === 'tool_calls' ? 'stop' : 'other';
}
