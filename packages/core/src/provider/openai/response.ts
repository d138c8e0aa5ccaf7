import { AgentScopeError } from '../../error/index.ts';
import type { NameMap } from '../../formatter/index.ts';
import { isObject, parseObject, SseCutter } from '../../internal/index.ts';
import type { SseFrame } from '../../internal/index.ts';
import { providerError, readError } from '../../model/index.ts';
import type { ChatResponseChunk } from '../../model/index.ts';
import type { Decoder } from '../shared/index.ts';
import { Answer, FAILURE_WORDS } from './answer.ts';

export interface AnswerHead {
  readonly provider: string;
  readonly status: number;
  readonly headers: Headers;
  readonly names: NameMap;
  /** The key of the request, taken out of what an error says. */
  readonly key?: string | undefined;
}

/** The bytes of a Chat Completions answer to chunks, streamed or whole: a body that begins with a brace is one JSON text, whatever its headers say. */
export function createDecoder(head: AnswerHead): Decoder {
  return new ChatDecoder(head);
}

class ChatDecoder implements Decoder {
  done = false;
  failure: Error | undefined;
  readonly #head: AnswerHead;
  readonly #answer: Answer;
  readonly #cutter = new SseCutter();
  /** Set once the first byte that is no blank has told. */
  #json: { readonly decoder: TextDecoder; text: string } | undefined;
  #told = false;

  constructor(head: AnswerHead) {
    this.#head = head;
    this.#answer = new Answer(head.names);
  }

  push(bytes: Uint8Array): ChatResponseChunk | undefined {
    if (!this.#told) this.#tell(bytes);
    if (this.#json !== undefined) {
      this.#json.text += this.#json.decoder.decode(bytes, { stream: true });
      return undefined;
    }
    return this.#frames(this.#cutter.push(bytes));
  }

  end(): ChatResponseChunk | undefined {
    if (this.#json !== undefined) return this.#whole(this.#json.text + this.#json.decoder.decode());
    const { frame, cut } = this.#cutter.end();
    if (cut !== undefined) throw this.#broken('The connection ended in the middle of a line.');
    const chunk = frame === undefined ? undefined : this.#frames([frame]);
    if (this.done) return chunk;
    if (!this.#answer.finished) throw this.#broken('It ended without a finish reason.');
    return this.#last();
  }

  #tell(bytes: Uint8Array): void {
    const first = bytes.find((byte) => byte > 32);
    if (first === undefined) return;
    this.#told = true;
    if (first === 0x7b || first === 0x5b) this.#json = { decoder: new TextDecoder(), text: '' };
  }

  /** All frames of one network read make one chunk. What a read brought before an error is said before the error is thrown. */
  #frames(frames: readonly SseFrame[]): ChatResponseChunk | undefined {
    try {
      for (const { data } of frames) {
        if (data === '[DONE]') return this.#last();
        if (data.trim() !== '') this.#chunk(data);
      }
    } catch (error) {
      if (this.#answer.increments.length === 0 || !(error instanceof Error)) throw error;
      this.failure = error;
    }
    return this.#answer.take();
  }

  #chunk(data: string): void {
    const chunk = parseJson(data);
    if (!isObject(chunk)) throw this.#broken('A piece of it is not JSON.');
    if (chunk['error'] !== undefined || chunk['choices'] === undefined) this.#refuseErrors(chunk);
    this.#answer.read(chunk);
    if (this.#answer.finished) this.#refuseFailure();
  }

  #whole(text: string): ChatResponseChunk {
    const body = parseObject(text);
    if (body === undefined) {
      if (readError(text) !== undefined) this.#refuseErrors(text);
      throw this.#broken('Its body is not JSON.');
    }
    this.#refuseErrors(body);
    this.#answer.read(body);
    this.#refuseFailure();
    if (!this.#answer.finished && this.#answer.increments.length === 0) throw this.#broken('Its body holds no answer.');
    return this.#last();
  }

  #last(): ChatResponseChunk {
    this.done = true;
    return this.#answer.last(this.#head.headers.get('x-request-id') ?? undefined);
  }

  #refuseErrors(body: unknown): void {
    if (readError(body) !== undefined) throw providerError({ ...this.#head, body });
  }

  #refuseFailure(): void {
    const word = this.#answer.finishWord;
    if (word === undefined || !FAILURE_WORDS.has(word)) return;
    const { provider } = this.#head;
    throw new AgentScopeError('model/overloaded', `${provider} failed in the middle of its answer (${word}).`, { details: { provider, retryable: true, providerCode: word } });
  }

  #broken(what: string): AgentScopeError {
    const { provider, headers } = this.#head;
    const requestId = headers.get('x-request-id');
    return new AgentScopeError('model/bad-stream', `${provider} broke its answer off. ${what}`, {
      details: { provider, retryable: true, ...(requestId === null ? {} : { requestId }) },
    });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
