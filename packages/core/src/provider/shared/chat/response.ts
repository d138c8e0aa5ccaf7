import { AgentScopeError } from '../../../error/index.ts';
import type { NameMap } from '../../../formatter/index.ts';
import { isObject } from '../../../internal/index.ts';
import { providerError, readError } from '../../../model/index.ts';
import type { ChatResponseChunk } from '../../../model/index.ts';
import { brokenAnswer, FrameDecoder, requestIdOf } from '../index.ts';
import type { AnswerFacts, Decoder, FrameReader } from '../index.ts';
import type { CompatibleProfile } from './profile.ts';
import { Answer, FAILURE_WORDS } from './answer.ts';

export interface ChatAnswerFacts extends AnswerFacts {
  readonly names: NameMap;
  /** Default: what an unknown server is sent. */
  readonly profile?: CompatibleProfile | undefined;
}

/** The bytes of a Chat Completions answer to chunks, streamed or whole. */
export function createDecoder(facts: ChatAnswerFacts): Decoder {
  return new FrameDecoder(new ChatReader(facts), facts);
}

/** What of an answer is an error, and where it ends: at `[DONE]`, or with the bytes once a finish reason was said. */
class ChatReader implements FrameReader {
  complete = false;
  readonly #facts: ChatAnswerFacts;
  readonly #answer: Answer;

  constructor(facts: ChatAnswerFacts) {
    this.#facts = facts;
    this.#answer = new Answer(facts.names, facts.profile);
  }

  get hasNews(): boolean {
    return this.#answer.increments.length > 0;
  }

  doneMark(): void {
    this.complete = true;
  }

  frame(chunk: Record<string, unknown>): void {
    if (chunk['error'] !== undefined || !Array.isArray(chunk['choices']) || chunk['base_resp'] !== undefined) this.#refuseErrors(chunk);
    this.#answer.read(chunk);
    if (this.#answer.finished) this.#refuseFailure();
  }

  whole(body: unknown): void {
    this.#refuseErrors(body);
    if (isObject(body)) this.#answer.read(body);
    this.#refuseFailure();
    if (!this.#answer.finished && !this.hasNews) throw brokenAnswer(this.#facts, 'Its body holds no answer.');
    this.complete = true;
  }

  take(): ChatResponseChunk | undefined {
    return this.#answer.take();
  }

  last(): ChatResponseChunk {
    if (!this.complete && !this.#answer.finished) throw brokenAnswer(this.#facts, 'It ended without a finish reason.');
    return this.#answer.last(requestIdOf(this.#facts.headers));
  }

  #refuseErrors(body: unknown): void {
    if (readError(body) !== undefined) throw providerError({ ...this.#facts, codes: this.#facts.profile?.errors, body });
  }

  #refuseFailure(): void {
    const word = this.#answer.finishWord;
    if (word === undefined || !FAILURE_WORDS.has(word)) return;
    const { provider } = this.#facts;
    throw new AgentScopeError('model/overloaded', `${provider} failed in the middle of its answer (${word}).`, { details: { provider, retryable: true, providerCode: word } });
  }
}
