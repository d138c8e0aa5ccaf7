import { AgentScopeError } from '../../error/index.ts';
import type { NameMap } from '../../formatter/index.ts';
import { isObject, newId } from '../../internal/index.ts';
import type { JsonObject } from '../../internal/index.ts';
import type { Metadata } from '../../message/index.ts';
import type { ChatResponseChunk, FinishReason, Increment } from '../../model/index.ts';
import { brokenAnswer, requestIdOf } from '../shared/index.ts';
import type { AnswerFacts, FrameReader } from '../shared/index.ts';
import { errorIn, googleError } from './errors.ts';
import { CallReader } from './calls.ts';
import { partMetadata } from './private-data.ts';
import { readUsage } from './usage.ts';

export interface GeminiAnswerFacts extends AnswerFacts {
  /** As asked for: signatures are kept under it. */
  readonly modelName: string;
  readonly names: NameMap;
}

type Flow = 'text' | 'thinking';

/** One answer of Gemini: every frame is a whole response object whose parts are what is new. It ends where its bytes end. */
export class GeminiAnswer implements FrameReader {
  readonly complete = false;
  readonly #facts: GeminiAnswerFacts;
  readonly #calls: CallReader;
  #increments: Increment[] = [];
  #next = 0;
  #flow: Flow | undefined;
  /** The open block has its signature: what follows is another part. */
  #signed = false;
  #id: string | undefined;
  #model: string | undefined;
  #word: string | undefined;
  #said: string | undefined;
  #usage: JsonObject | undefined;

  constructor(facts: GeminiAnswerFacts) {
    this.#facts = facts;
    this.#calls = new CallReader(facts);
  }

  get hasNews(): boolean {
    return this.#increments.length > 0;
  }

  readonly push = (increment: Increment): void => void this.#increments.push(increment);

  /** The number of a block that is neither text nor thinking. */
  readonly openBlock = (): number => {
    this.#flow = undefined;
    return this.#next++;
  };

  frame(frame: Record<string, unknown>): void {
    if (errorIn(frame) !== undefined) throw googleError({ ...this.#facts, body: frame });
    this.#response(frame, false);
  }

  whole(body: unknown): void {
    if (Array.isArray(body)) for (const one of body) this.#response(this.#checked(one), false);
    else this.#response(this.#checked(body), true);
    if (this.#word === undefined && this.#next === 0) throw brokenAnswer(this.#facts, 'Its body holds no answer.');
  }

  take(): ChatResponseChunk | undefined {
    if (this.#increments.length === 0) return undefined;
    const content = this.#increments;
    this.#increments = [];
    return { id: (this.#id ??= newId()), content };
  }

  last(): ChatResponseChunk {
    if (this.#word === undefined) throw brokenAnswer(this.#facts, 'It ended without a finish reason.');
    if (FAILURES.has(this.#word)) throw this.#failed(this.#word);
    this.#calls.end(this, LENGTH_WORDS.has(this.#word));
    const usage = readUsage(this.#usage);
    return {
      id: (this.#id ??= newId()),
      content: this.#increments,
      ...(usage === undefined ? {} : { usage }),
      finishReason: finishReason(this.#word, this.#calls.count > 0),
      metadata: this.#metadata(this.#word),
    };
  }

  #checked(value: unknown): Record<string, unknown> {
    if (!isObject(value)) throw brokenAnswer(this.#facts, 'A piece of it is no response.');
    if (errorIn(value) !== undefined) throw googleError({ ...this.#facts, body: value });
    return value;
  }

  #response(response: Record<string, unknown>, isWhole: boolean): void {
    this.#id ??= textIn(response['responseId']);
    this.#model ??= textIn(response['modelVersion']);
    const { usageMetadata, candidates, promptFeedback } = response;
    if (isObject(usageMetadata) && (this.#usage === undefined || counts(usageMetadata))) this.#usage = usageMetadata as JsonObject;
    if (isObject(promptFeedback)) this.#word ??= textIn(promptFeedback['blockReason']);
    const candidate: unknown = Array.isArray(candidates) ? candidates.find((one: unknown) => isObject(one) && (one['index'] ?? 0) === 0) : undefined;
    if (isObject(candidate)) this.#candidate(candidate, isWhole);
  }

  #candidate({ content, finishReason: word, finishMessage }: Record<string, unknown>, isWhole: boolean): void {
    const parts = isObject(content) ? content['parts'] : undefined;
    if (Array.isArray(parts)) for (const part of parts) if (isObject(part)) this.#part(part, isWhole);
    this.#word = textIn(word) ?? this.#word;
    this.#said = textIn(finishMessage) ?? this.#said;
  }

  /** Code the provider ran itself, and parts of a kind nobody knows yet, are passed over. */
  #part(part: Record<string, unknown>, isWhole: boolean): void {
    const thoughtSignature = textIn(part['thoughtSignature']);
    if (isObject(part['functionCall'])) this.#calls.read(part['functionCall'], { thoughtSignature, output: this });
    else if (typeof part['text'] === 'string') this.#say({ flow: part['thought'] === true ? 'thinking' : 'text', text: part['text'], thoughtSignature, isWhole });
    else if (isObject(part['inlineData'])) this.#data(part['inlineData'], thoughtSignature);
    else if (isObject(part['fileData'])) this.#file(part['fileData']);
    else if (thoughtSignature !== undefined) this.#say({ flow: 'text', text: '', thoughtSignature, isWhole });
  }

  /** A stream cuts parts anywhere, so text goes on in its block until something else, or a signature, ends it. */
  #say({ flow, text, thoughtSignature, isWhole }: { flow: Flow; text: string; thoughtSignature: string | undefined; isWhole: boolean }): void {
    if (text === '' && (thoughtSignature === undefined || this.#flow === undefined || this.#signed)) return; // nothing to hang a signature on: it was not wanted back
    const own = text !== '' && (this.#flow !== flow || this.#signed || (isWhole && thoughtSignature !== undefined));
    if (own) {
      this.#flow = flow;
      this.#signed = false;
      this.#next++;
    }
    const common = { index: this.#next - 1, ...partMetadata({ thoughtSignature }, this.#facts.modelName) };
    this.#increments.push(this.#flow === 'thinking' ? { type: 'thinking', thinking: text, ...common } : { type: 'text', text, ...common });
    if (thoughtSignature !== undefined) this.#signed = true;
  }

  #data({ mimeType, data }: Record<string, unknown>, thoughtSignature: string | undefined): void {
    if (typeof data !== 'string') return;
    const mediaType = textIn(mimeType) ?? 'application/octet-stream';
    this.push({ type: 'data', index: this.openBlock(), data: { type: 'base64', data, mediaType }, ...partMetadata({ thoughtSignature }, this.#facts.modelName), done: true });
  }

  #file({ mimeType, fileUri }: Record<string, unknown>): void {
    const url = textIn(fileUri);
    const mediaType = textIn(mimeType);
    if (url !== undefined) this.push({ type: 'data', index: this.openBlock(), data: { type: 'url', url, ...(mediaType === undefined ? {} : { mediaType }) }, done: true });
  }

  #metadata(word: string): Metadata {
    const requestId = requestIdOf(this.#facts.headers);
    return {
      providerFinishReason: word,
      ...(this.#said === undefined ? {} : { providerFinishMessage: this.#said }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    };
  }

  #failed(word: string): AgentScopeError {
    const { provider } = this.#facts;
    return new AgentScopeError('model/bad-stream', `${provider} gave up its answer (${word}): the model wrote a tool call that the provider could not read. Asking again mostly helps.`, {
      details: { provider, retryable: true, providerCode: word },
    });
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Some reports hold no number. */
function counts({ promptTokenCount, candidatesTokenCount }: Record<string, unknown>): boolean {
  return promptTokenCount !== undefined || candidatesTokenCount !== undefined;
}

/** The word is `STOP` also where calls were made. Calls that came count, except where the answer was cut or filtered. */
function finishReason(word: string, called: boolean): FinishReason {
  if (LENGTH_WORDS.has(word)) return 'length';
  if (FILTER_WORDS.has(word)) return 'content_filter';
  if (called) return 'tool_calls';
  return word === 'STOP' ? 'stop' : 'other';
}

const LENGTH_WORDS: ReadonlySet<string> = new Set(['MAX_TOKENS']);

/** Finish reasons of candidates, and block reasons of prompts. */
const FILTER_WORDS: ReadonlySet<string> = new Set([
  'SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION', 'MODEL_ARMOR',
]);

const FAILURES: ReadonlySet<string> = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MISSING_THOUGHT_SIGNATURE', 'TOO_MANY_TOOL_CALLS', 'MALFORMED_RESPONSE']);
