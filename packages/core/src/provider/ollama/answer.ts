import type { NameMap } from '../../formatter/index.ts';
import { isObject, newId } from '../../internal/index.ts';
import type { JsonObject } from '../../internal/index.ts';
import type { Metadata } from '../../message/index.ts';
import { providerError, readError, toChatUsage } from '../../model/index.ts';
import type { ChatResponseChunk, FinishReason, Increment } from '../../model/index.ts';
import { brokenAnswer, requestIdOf } from '../shared/index.ts';
import type { AnswerFacts, FrameReader } from '../shared/index.ts';

export interface OllamaAnswerFacts extends AnswerFacts {
  readonly names: NameMap;
  /** What of the request Ollama has no word for. */
  readonly ignored: readonly string[];
}

/** One answer of Ollama: every line is a response whose message is what is new; the one that says `done` is the last. */
export class OllamaAnswer implements FrameReader {
  readonly #facts: OllamaAnswerFacts;
  readonly #id = newId();
  #increments: Increment[] = [];
  #next = 0;
  #flow: 'text' | 'thinking' | undefined;
  #called = false;
  #end: Record<string, unknown> | undefined;

  constructor(facts: OllamaAnswerFacts) {
    this.#facts = facts;
  }

  get hasNews(): boolean {
    return this.#increments.length > 0;
  }

  get complete(): boolean {
    return this.#end !== undefined;
  }

  frame(frame: Record<string, unknown>): void {
    const { message, done } = frame;
    if (readError(frame) !== undefined) throw providerError({ ...this.#facts, body: frame });
    if (isObject(message)) this.#message(message);
    if (done === true) this.#end = frame;
  }

  whole(body: unknown): void {
    if (isObject(body)) this.frame(body);
    if (this.#end === undefined) throw brokenAnswer(this.#facts, 'Its body holds no answer.');
  }

  take(): ChatResponseChunk | undefined {
    if (this.#increments.length === 0) return undefined;
    const content = this.#increments;
    this.#increments = [];
    return { id: this.#id, content };
  }

  last(): ChatResponseChunk {
    const end = this.#end;
    if (end === undefined) throw brokenAnswer(this.#facts, 'It ended without its last line.');
    const usage = toChatUsage({ input: end['prompt_eval_count'], output: end['eval_count'] });
    return {
      id: this.#id,
      content: this.#increments,
      ...(usage === undefined ? {} : { usage }),
      finishReason: finishReason(end['done_reason'], this.#called),
      metadata: this.#metadata(end),
    };
  }

  /** Thinking first: where both come together it was thought before it was said. */
  #message({ thinking, content, tool_calls: calls }: Record<string, unknown>): void {
    if (typeof thinking === 'string' && thinking !== '') this.#increments.push({ type: 'thinking', index: this.#index('thinking'), thinking });
    if (typeof content === 'string' && content !== '') this.#increments.push({ type: 'text', index: this.#index('text'), text: content });
    if (Array.isArray(calls)) for (const call of calls) if (isObject(call)) this.#call(call);
  }

  #index(flow: 'text' | 'thinking'): number {
    if (this.#flow !== flow) {
      this.#flow = flow;
      this.#next++;
    }
    return this.#next - 1;
  }

  /** Calls come whole, mostly without an id: each gets one of its own, since name and place come again. Text of arguments goes on as it is; the loop judges it. */
  #call({ id, function: called }: Record<string, unknown>): void {
    if (!isObject(called)) return;
    const { name, arguments: given } = called;
    this.#flow = undefined;
    this.#called = true;
    this.#increments.push({
      type: 'tool_use',
      index: this.#next++,
      id: typeof id === 'string' && id !== '' ? id : newId(),
      name: this.#facts.names.fromWire(typeof name === 'string' ? name : ''),
      content: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
      done: true,
    });
  }

  #metadata(end: Record<string, unknown>): Metadata {
    const { done_reason: word, model } = end;
    const requestId = requestIdOf(this.#facts.headers);
    const usage = Object.fromEntries(Object.entries(end).filter(([name, value]) => /_(?:count|duration)$/.test(name) && typeof value === 'number')) as JsonObject;
    return {
      ...(typeof word === 'string' && word !== '' ? { providerFinishReason: word } : {}),
      ...(requestId === undefined ? {} : { requestId }),
      ...(typeof model === 'string' ? { model } : {}),
      ...(Object.keys(usage).length === 0 ? {} : { usage }),
      ...(this.#facts.ignored.length === 0 ? {} : { ignored: this.#facts.ignored }),
    };
  }
}

/** Calls that came count whatever the word, except where the answer was cut. Older servers say no word; a model that was loaded or unloaded said nothing. */
function finishReason(word: unknown, called: boolean): FinishReason {
  if (word === 'length') return 'length';
  if (called) return 'tool_calls';
  return word === undefined || word === '' || word === 'stop' ? 'stop' : 'other';
}
