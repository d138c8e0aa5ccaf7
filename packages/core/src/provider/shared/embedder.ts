import { AgentScopeError } from '../../error/index.ts';
import { isObject } from '../../internal/index.ts';
import type { TextBlock } from '../../message/index.ts';
import { count, providerError, readError, retryingCall } from '../../model/index.ts';
import type { EmbeddingModel, EmbeddingModelOptions, EmbeddingOptions, EmbeddingResponse } from '../../model/index.ts';
import { scopedCall } from './call-scope.ts';
import type { CallScope } from './call-scope.ts';
import { brokenAnswer } from './frame-decoder.ts';
import type { HttpCall } from './http-stream.ts';
import { objectsIn } from './list-models.ts';
import { networkError, send, timeoutError, tooLongError } from './http.ts';
import { readKey } from './settings.ts';
import type { Key } from './settings.ts';

/** One request for vectors. */
export interface EmbeddingCall {
  readonly texts: readonly string[];
  readonly purpose: EmbeddingOptions['purpose'];
  readonly key: Key;
}

/** What one provider adds to a call for vectors; all of it pure. */
export interface EmbeddingProvider {
  readonly provider: string;
  /** The environment variable of the key. */
  readonly variable: string;
  readonly needsKey?: boolean;
  /** Texts of one request, at most, and their bytes as UTF-8 where that is bounded too. */
  readonly most: { readonly texts: number; readonly bytes?: number };
  prepare(call: EmbeddingCall): HttpCall;
  /** The vectors of an answer in the order of the texts, not yet looked at, and the tokens it counted. */
  read(body: Record<string, unknown>): { readonly embeddings: readonly unknown[]; readonly inputTokens: unknown };
}

/** The shell of every embedding model over HTTP: batches, key, retries, time-outs, aborts, typed errors, checked answers. */
export function createEmbedder(options: EmbeddingModelOptions, provider: EmbeddingProvider): Pick<EmbeddingModel, 'embed'> & { readonly dimensions: number | undefined } {
  let { dimensions } = options;
  return {
    get dimensions() {
      return dimensions;
    },
    async embed(given, { purpose, signal } = {}) {
      const texts = checked(given, provider);
      const answers: EmbeddingResponse[] = [];
      for (const batch of batchesOf(texts, options, provider)) answers.push(await oneBatch(batch, purpose, { options, provider, signal }));
      const joined = join(answers);
      dimensions ??= joined.embeddings[0]?.length;
      return joined;
    },
  };
}

/** The vectors of a list of objects that say by a number which text each is of; without numbers, as they come. */
export function inOrder(list: unknown, number: string): readonly unknown[] {
  const found = objectsIn(list);
  const placed = found.every((one) => typeof one[number] === 'number') ? found.toSorted((a, b) => Number(a[number]) - Number(b[number])) : found;
  return placed.map(({ embedding }) => embedding);
}

interface Asking {
  readonly options: EmbeddingModelOptions;
  readonly provider: EmbeddingProvider;
  readonly signal: AbortSignal | undefined;
}

function checked(given: Parameters<EmbeddingModel['embed']>[0], { provider }: EmbeddingProvider): readonly string[] {
  const list = typeof given === 'string' || !Array.isArray(given) ? [given as string | TextBlock] : (given as readonly (string | TextBlock)[]);
  return list.map((one, at) => {
    const text = (typeof one === 'string' ? one : one.text).toWellFormed();
    if (text.trim() !== '') return text;
    throw new AgentScopeError('model/bad-request', `Text ${at + 1} of ${list.length} is blank: there is nothing ${provider} could make a vector of. Leave it out.`, { details: { provider, retryable: false } });
  });
}

const ENCODER = new TextEncoder();

/** In order, each within the bounds; a text that is too large for itself goes alone, for the provider to judge. */
function batchesOf(texts: readonly string[], { batchSize = Infinity }: EmbeddingModelOptions, { most }: EmbeddingProvider): readonly (readonly string[])[] {
  const size = Math.max(1, Math.min(batchSize, most.texts));
  const batches: string[][] = [];
  let bytes = 0;
  for (const text of texts) {
    const own = most.bytes === undefined ? 0 : ENCODER.encode(text).length;
    const last = batches.at(-1);
    if (last === undefined || last.length >= size || bytes + own > (most.bytes ?? Infinity)) {
      batches.push([text]);
      bytes = own;
    } else {
      last.push(text);
      bytes += own;
    }
  }
  return batches;
}

function oneBatch(texts: readonly string[], purpose: EmbeddingOptions['purpose'], { options, provider, signal }: Asking): Promise<EmbeddingResponse> {
  const { timeoutMs = 60_000, totalTimeoutMs = Infinity, maxRetries = 2 } = options;
  const scope = { signal, timeoutMs, totalTimeoutMs, onTimeout: () => timeoutError(provider.provider, timeoutMs), onTotalTimeout: () => tooLongError(provider.provider, totalTimeoutMs) };
  return retryingCall(() => scopedCall(scope, (call) => ask(texts, purpose, { options, provider, scope: call })), { signal, maxAttempts: maxRetries + 1 });
}

async function ask(texts: readonly string[], purpose: EmbeddingOptions['purpose'], { options, provider, scope }: Omit<Asking, 'signal'> & { readonly scope: CallScope }): Promise<EmbeddingResponse> {
  const key = await readKey(options.apiKey, provider);
  const { url, headers, body, errorCodes } = provider.prepare({ texts, purpose, key });
  const name = provider.provider;
  const response = await send({ provider: name, url, headers: { 'content-type': 'application/json', ...headers, ...options.headers }, body, key, errorCodes, fetch: options.fetch ?? globalThis.fetch }, scope);
  const facts = { provider: name, status: response.status, headers: response.headers, key: key.value };
  const answer = parsed(await textOf(response, { scope, onBroken: (cause) => networkError(name, url, cause) }));
  if (readError(answer) !== undefined) throw providerError({ ...facts, codes: errorCodes, body: answer });
  if (!isObject(answer)) throw brokenAnswer(facts, 'Its body is not JSON.');
  const { embeddings, inputTokens } = provider.read(answer);
  const tokens = count(inputTokens);
  if (embeddings.length !== texts.length) throw brokenAnswer(facts, `It holds ${embeddings.length} vectors for ${texts.length} texts.`);
  if (!embeddings.every(isVector)) throw brokenAnswer(facts, 'One of its vectors is none.');
  const wrong = embeddings.find(({ length }) => length !== (options.dimensions ?? length));
  if (wrong !== undefined) throw wrongLength(name, options, wrong.length);
  return { embeddings, ...(tokens === undefined ? {} : { usage: { inputTokens: tokens } }) };
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number');
}

function wrongLength(provider: string, { modelName, dimensions }: EmbeddingModelOptions, length: number): AgentScopeError {
  return new AgentScopeError('model/bad-stream', `${provider} made vectors of ${length} numbers though ${dimensions} were asked for: "${modelName}" leaves no choice. Leave the option "dimensions" out, or set it to ${length}.`, { details: { provider, retryable: false } });
}

async function textOf({ body }: Response, { scope, onBroken }: { scope: CallScope; onBroken: (cause: unknown) => Error }): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) {
      scope.touch();
      text += decoder.decode(piece.value, { stream: true });
    }
  } catch (cause) {
    throw onBroken(cause);
  }
  return text + decoder.decode();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Tokens count only where every request counted them. */
function join(answers: readonly EmbeddingResponse[]): EmbeddingResponse {
  const counted = answers.length > 0 && answers.every(({ usage }) => usage !== undefined);
  const inputTokens = answers.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0), 0);
  return { embeddings: answers.flatMap(({ embeddings }) => embeddings), ...(counted ? { usage: { inputTokens } } : {}) };
}
