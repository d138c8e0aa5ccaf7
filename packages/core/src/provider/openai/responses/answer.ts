import { isObject, newId } from '../../../internal/index.ts';
import type { JsonObject } from '../../../internal/index.ts';
import type { Metadata } from '../../../message/index.ts';
import { providerError } from '../../../model/index.ts';
import type { ChatResponseChunk, FinishReason } from '../../../model/index.ts';
import { brokenAnswer, requestIdOf } from '../../shared/index.ts';
import type { FrameReader } from '../../shared/index.ts';
import type { ResponsesAnswerFacts } from './facts.ts';
import { Items } from './items.ts';
import { readUsage } from './usage.ts';

/** One answer of the Responses API: typed events, or the response object they describe. */
export class ResponsesAnswer implements FrameReader {
  readonly #facts: ResponsesAnswerFacts;
  readonly #items: Items;
  #id: string | undefined;
  #model: string | undefined;
  /** The response object of the closing event. */
  #final: Record<string, unknown> | undefined;

  constructor(facts: ResponsesAnswerFacts) {
    this.#facts = facts;
    this.#items = new Items(facts);
  }

  get hasNews(): boolean {
    return this.#items.increments.length > 0;
  }

  get complete(): boolean {
    return this.#final !== undefined;
  }

  /** Events nobody knows are passed over. */
  frame(event: Record<string, unknown>): void {
    const { type, response, output_index: at, item, delta } = event;
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
        return this.#begun(response);
      case 'response.output_item.added':
        return this.#items.open(at, item);
      case 'response.output_item.done':
        return this.#items.done(at, item);
      case 'response.output_text.delta':
      case 'response.refusal.delta':
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#items.say(event, String(type), delta);
      case 'response.output_text.done':
      case 'response.reasoning_summary_text.done':
      case 'response.reasoning_text.done':
        return this.#items.sayAll(event, String(type), event['text']);
      case 'response.refusal.done':
        return this.#items.sayAll(event, String(type), event['refusal']);
      case 'response.function_call_arguments.delta':
        return this.#items.argue(event, delta);
      case 'response.function_call_arguments.done':
        return this.#items.argueAll(event, event['arguments']);
      case 'response.completed':
      case 'response.incomplete':
      case 'response.cancelled':
      case 'response.failed':
        return this.#closed(response, type.slice('response.'.length));
      default:
        if (type === 'error' || isObject(event['error'])) throw this.#refused(event);
    }
  }

  whole(body: unknown): void {
    if (!isObject(body)) throw brokenAnswer(this.#facts, 'Its body holds no answer.');
    if (isObject(body['error']) || typeof body['error'] === 'string' || (body['output'] === undefined && body['code'] !== undefined)) throw this.#refused(body);
    if (!Array.isArray(body['output'])) throw brokenAnswer(this.#facts, 'Its body holds no answer.');
    this.#closed(body, 'completed');
  }

  take(): ChatResponseChunk | undefined {
    const content = this.#items.take();
    return content.length === 0 ? undefined : { id: (this.#id ??= newId()), content };
  }

  last(): ChatResponseChunk {
    const final = this.#final;
    if (final === undefined) throw brokenAnswer(this.#facts, 'It ended without its closing event.');
    const content = this.#items.take();
    const usage = readUsage(final['usage']);
    const word = wordOf(final);
    return {
      id: (this.#id ??= newId()),
      content,
      ...(usage === undefined ? {} : { usage }),
      finishReason: finishReason(word, this.#items.calls > 0),
      metadata: this.#metadata(final, word),
    };
  }

  #begun(response: unknown): void {
    if (!isObject(response)) return;
    this.#id ??= textIn(response['id']);
    this.#model ??= textIn(response['model']);
  }

  /** What the final object holds and no event said is said now. */
  #closed(response: unknown, ending: string): void {
    if (!isObject(response)) throw brokenAnswer(this.#facts, 'Its closing event holds no response.');
    this.#begun(response);
    const status = textIn(response['status']) ?? ending;
    if (status === 'failed') throw this.#refused(response);
    if (status === 'in_progress' || status === 'queued') throw brokenAnswer(this.#facts, `It is still ${status}: the request ran in the background.`);
    const { output } = response;
    if (Array.isArray(output)) output.forEach((item, at) => this.#items.done(at, item));
    this.#items.end();
    this.#final = { ...response, status };
  }

  /** `{error: {…}}`, the members beside `type`, or a response that failed. */
  #refused(event: Record<string, unknown>): Error {
    const { error, code, message, type } = event;
    const body = isObject(error) || typeof error === 'string' ? { error } : { error: { message, code, type: type === 'error' ? undefined : type } };
    const said = isObject(body.error) ? (body.error['message'] ?? body.error['code'] ?? undefined) : body.error;
    if (said === undefined) return brokenAnswer(this.#facts, 'It says that it failed, and not why.');
    return providerError({ ...this.#facts, body });
  }

  #metadata(final: Record<string, unknown>, word: string): Metadata {
    const requestId = requestIdOf(this.#facts.headers);
    return {
      providerFinishReason: word,
      ...(requestId === undefined ? {} : { requestId }),
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...(isObject(final['usage']) ? { usage: final['usage'] as JsonObject } : {}),
    };
  }
}

/** The status, or why the answer is incomplete. */
function wordOf({ status, incomplete_details: details }: Record<string, unknown>): string {
  return (status === 'incomplete' && isObject(details) ? textIn(details['reason']) : undefined) ?? textIn(status) ?? 'completed';
}

function finishReason(word: string, called: boolean): FinishReason {
  if (word === 'max_output_tokens') return 'length';
  if (word === 'content_filter') return 'content_filter';
  if (word !== 'completed') return 'other';
  return called ? 'tool_calls' : 'stop';
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
