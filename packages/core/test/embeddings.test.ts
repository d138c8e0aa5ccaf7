// Vectors over HTTP: the same rules for every provider, against a server on this machine that answers in its words.
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { AgentScopeError } from '../src/error/index.ts';
import type { EmbeddingModel, EmbeddingModelOptions } from '../src/model/index.ts';
import { DashScopeTextEmbedding } from '../src/provider/dashscope/index.ts';
import { GeminiTextEmbedding } from '../src/provider/gemini/index.ts';
import { OllamaTextEmbedding } from '../src/provider/ollama/index.ts';
import { OpenAITextEmbedding } from '../src/provider/openai/index.ts';
import { playServer } from './play-server.ts';
import type { Player } from './play-server.ts';

type Body = { readonly [name: string]: any };

interface Provider {
  readonly name: string;
  readonly keyVariable: string;
  /** Texts of one request, at most. */
  readonly most: number;
  readonly path: string;
  make(options: Partial<EmbeddingModelOptions>): EmbeddingModel;
  textsOf(body: Body): readonly string[];
  /** The body of an answer, its vectors given in the order of the texts. */
  answer(vectors: readonly unknown[], tokens?: number): object;
  refusal(message: string): object;
}

const KEY = 'sk-Test0123456789abcdef';
const complete = (options: Partial<EmbeddingModelOptions>): EmbeddingModelOptions => ({ modelName: 'm', apiKey: KEY, maxRetries: 0, ...options });

const PROVIDERS: readonly Provider[] = [
  {
    name: 'openai',
    keyVariable: 'OPENAI_API_KEY',
    most: 2_048,
    path: '/v1/embeddings',
    make: (options) => new OpenAITextEmbedding(complete(options)),
    textsOf: ({ input }) => input as string[],
    // in any order: each says whose it is
    answer: (vectors, tokens) => ({ object: 'list', data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })).toReversed(), usage: tokens === undefined ? undefined : { prompt_tokens: tokens, total_tokens: tokens } }),
    refusal: (message) => ({ error: { message, type: 'error', code: null } }),
  },
  {
    name: 'dashscope',
    keyVariable: 'DASHSCOPE_API_KEY',
    most: 10,
    path: '/api/v1/services/embeddings/text-embedding/text-embedding',
    make: (options) => new DashScopeTextEmbedding(complete(options)),
    textsOf: ({ input }) => (input as { texts: string[] }).texts,
    answer: (vectors, tokens) => ({ output: { embeddings: vectors.map((embedding, text_index) => ({ text_index, embedding })).toReversed() }, usage: tokens === undefined ? undefined : { total_tokens: tokens }, request_id: 'r' }),
    refusal: (message) => ({ code: 'InvalidParameter', message, request_id: 'r' }),
  },
  {
    name: 'gemini',
    keyVariable: 'GEMINI_API_KEY',
    most: 100,
    path: '/v1/models/m:batchEmbedContents',
    make: (options) => new GeminiTextEmbedding(complete(options)),
    textsOf: ({ requests }) => (requests as { content: { parts: { text: string }[] } }[]).map(({ content }) => content.parts[0]?.text ?? ''),
    answer: (vectors, tokens) => ({ embeddings: vectors.map((values) => ({ values })), usageMetadata: tokens === undefined ? undefined : { promptTokenCount: tokens } }),
    refusal: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  },
  {
    name: 'ollama',
    keyVariable: 'OLLAMA_API_KEY',
    most: 256,
    path: '/api/embed',
    make: (options) => new OllamaTextEmbedding(complete(options)),
    textsOf: ({ input }) => input as string[],
    answer: (embeddings, tokens) => ({ model: 'm', embeddings, prompt_eval_count: tokens }),
    refusal: (message) => ({ error: message }),
  },
];

/** A vector that tells its text. */
const vectorOf = (text: string): number[] => [text.length, text.codePointAt(0) ?? 0, text.codePointAt(text.length - 1) ?? 0];
const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Player => (_request, response) => void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
/** Makes the vectors it is asked for. */
const making = ({ textsOf, answer }: Provider): Player => (request, response, number) => json(answer(textsOf(JSON.parse(request.body) as Body).map(vectorOf), 5))(request, response, number);
/** The address of the play server ends in `/v1`, which two of them have in another place. */
const baseOf = ({ baseUrl }: { baseUrl: string }, { name }: Provider): string => (name === 'dashscope' || name === 'ollama' ? new URL(baseUrl).origin : baseUrl);

async function failure(run: () => Promise<unknown>): Promise<AgentScopeError> {
  const error: unknown = await run().then(() => 'nothing was thrown', (thrown: unknown) => thrown);
  if (AgentScopeError.is(error)) return error;
  throw error;
}

describe.for(PROVIDERS)('$name', (provider) => {
  const serve = async (player: Player = making(provider)): Promise<{ base: string; requests: Awaited<ReturnType<typeof playServer>>['requests']; open(): number }> => {
    const server = await playServer(player);
    return { base: baseOf(server, provider), requests: server.requests, open: () => server.open() };
  };

  test('a text, a block and a list become vectors, with the request the API wants, the tokens and the length of a vector', async () => {
    const { base, requests } = await serve();
    const model = provider.make({ baseUrl: base, headers: { 'x-mine': '1' } });
    expect([model.provider, model.modelName, model.dimensions]).toEqual([provider.name, 'm', undefined]);
    expect(await model.embed('晴天')).toEqual({ embeddings: [vectorOf('晴天')], usage: { inputTokens: 5 } });
    expect(await model.embed({ type: 'text', text: 'block' })).toEqual({ embeddings: [vectorOf('block')], usage: { inputTokens: 5 } });
    expect((await model.embed(['one', { type: 'text', text: 'two!' }])).embeddings).toEqual([vectorOf('one'), vectorOf('two!')]);
    expect([model.dimensions, await model.embed([])]).toEqual([3, { embeddings: [] }]);
    expect(requests.map(({ url }) => url)).toEqual([provider.path, provider.path, provider.path]);
    expect(JSON.stringify(requests[0]?.headers)).toContain(KEY);
    expect(requests[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'x-mine': '1' });
  });

  test('as many requests as the provider\'s limit makes, one after the other, the order kept and the tokens added up', async () => {
    const { base, requests } = await serve();
    const texts = Array.from({ length: provider.most * 2 + 1 }, (_, at) => `text ${at}`);
    const { embeddings, usage } = await provider.make({ baseUrl: base }).embed(texts);
    expect(embeddings).toEqual(texts.map(vectorOf));
    expect([requests.map(({ body }) => provider.textsOf(JSON.parse(body) as Body).length), usage]).toEqual([[provider.most, provider.most, 1], { inputTokens: 15 }]);
  });

  test('however the texts are cut into requests, each text has its own vector', async () => {
    const { base, requests } = await serve();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ minLength: 1, maxLength: 6, unit: 'binary' }).filter((text) => text.trim() !== ''), { maxLength: 12 }), fc.integer({ min: -1, max: 20 }), async (texts, batchSize) => {
        const before = requests.length;
        const { embeddings } = await provider.make({ baseUrl: base, batchSize }).embed(texts);
        expect(embeddings).toEqual(texts.map((text) => vectorOf(text.toWellFormed())));
        expect(requests.length - before).toBe(Math.ceil(texts.length / Math.max(1, Math.min(batchSize, provider.most))));
      }),
      { numRuns: 40 },
    );
  });

  test('a length is asked for, and checked: a model that leaves no choice says so', async () => {
    const { base, requests } = await serve();
    expect((await provider.make({ baseUrl: base, dimensions: 3 }).embed('x')).embeddings).toHaveLength(1);
    expect(requests[0]?.body).toMatch(/"(?:dimensions|dimension|outputDimensionality)":3/);
    const wrong = await failure(() => provider.make({ baseUrl: base, dimensions: 256, maxRetries: 2 }).embed('x'));
    expect([wrong.code, wrong.message.includes('256'), requests.length]).toEqual(['model/bad-stream', true, 2]);
  });

  test('a blank text is refused before anything is sent; half a surrogate is mended; what is not modelled goes through the open door', async () => {
    const { base, requests } = await serve();
    for (const blank of ['', ' \n', { type: 'text', text: '' } as const]) expect(await failure(() => provider.make({ baseUrl: base }).embed(['ok', blank]))).toMatchObject({ code: 'model/bad-request', message: expect.stringContaining('Text 2 of 2') as unknown });
    expect(requests).toHaveLength(0);
    await provider.make({ baseUrl: base, additionalBodyParams: { extra: 1 } }).embed('x\ud83d');
    expect([requests[0]?.body.includes('"extra":1'), requests[0]?.body.includes('x\ufffd')]).toEqual([true, true]);
  });

  test('C134 C136 failures that may pass are tried again, for their own batch only; the others are typed errors', async () => {
    const { base, requests } = await serve((request, response, number) => (number === 2 ? json(provider.refusal('busy'), 503, { 'retry-after': '0' }) : making(provider))(request, response, number));
    expect((await provider.make({ baseUrl: base, batchSize: 1, maxRetries: 1 }).embed(['a', 'bb', 'ccc'])).embeddings).toEqual(['a', 'bb', 'ccc'].map(vectorOf));
    expect(requests.map(({ body }) => provider.textsOf(JSON.parse(body) as Body)[0])).toEqual(['a', 'bb', 'bb', 'ccc']);
    for (const [status, code, retryable] of [[400, 'model/bad-request', false], [401, 'model/auth', false], [429, 'model/rate-limit', true], [500, 'model/overloaded', true]] as const) {
      const refusing = await serve(json(provider.refusal(`no ${KEY}`), status));
      const error = await failure(() => provider.make({ baseUrl: refusing.base }).embed('x'));
      expect([error.code, (error.details as { retryable?: boolean; status?: number }).retryable, (error.details as { status?: number }).status]).toEqual([code, retryable, status]);
      expect(`${error.message}${JSON.stringify(error.details)}`).not.toContain(KEY);
    }
  });

  test('an answer that is none, or not of these texts, is a broken one; an error in a 200 is an error', async () => {
    for (const body of [provider.answer([]), provider.answer([[1], [2]]), provider.answer(['x']), provider.answer([[]]), provider.answer([['1']]), {}, [], 7]) {
      const { base } = await serve(json(body));
      expect([body, (await failure(() => provider.make({ baseUrl: base }).embed('x'))).code]).toEqual([body, 'model/bad-stream']);
    }
    const { base } = await serve((_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"cut'));
    expect((await failure(() => provider.make({ baseUrl: base }).embed('x'))).code).toBe('model/bad-stream');
    const busy = await serve(json({ error: { message: 'slow down', code: 'rate_limit_exceeded' } }));
    expect((await failure(() => provider.make({ baseUrl: busy.base }).embed('x'))).code).toBe('model/rate-limit');
    const uncounted = await serve(json(provider.answer([[1]])));
    expect(await provider.make({ baseUrl: uncounted.base }).embed('x')).toEqual({ embeddings: [[1]] });
  });

  test('I10 an abort throws its reason, ends the request that runs and makes no other; silence is a time-out', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const { base, requests, open } = await serve((request, response, number) => {
      if (number === 2) return controller.abort(reason);
      return making(provider)(request, response, number);
    });
    await expect(provider.make({ baseUrl: base, batchSize: 1, maxRetries: 3 }).embed(['a', 'b', 'c'], { signal: controller.signal })).rejects.toBe(reason);
    expect(requests).toHaveLength(2);
    await vi.waitFor(() => expect(open()).toBe(0));
    await expect(provider.make({ baseUrl: base }).embed('a', { signal: controller.signal })).rejects.toBe(reason);
    expect(requests).toHaveLength(2);
    const live = new AbortController();
    await provider.make({ baseUrl: base }).embed(['a'], { signal: live.signal });
    expect(getEventListeners(live.signal, 'abort')).toEqual([]); // I10: nothing is left behind
    const silent = await serve(() => undefined);
    expect((await failure(() => provider.make({ baseUrl: silent.base, timeoutMs: 60 }).embed('x'))).code).toBe('model/timeout');
    await vi.waitFor(() => expect(silent.open()).toBe(0));
  });

  test('the key comes from its variable, read at the call; without one nothing is sent, unless none is needed', async () => {
    const { base, requests } = await serve();
    vi.stubEnv(provider.keyVariable, '');
    for (const other of ['GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY']) vi.stubEnv(other, '');
    try {
      const model = provider.make({ baseUrl: base, apiKey: undefined });
      if (provider.name === 'ollama') await model.embed('x');
      else expect(await failure(() => model.embed('x'))).toMatchObject({ code: 'model/auth', details: { variable: provider.keyVariable } });
      vi.stubEnv(provider.keyVariable, KEY);
      await model.embed('x');
    } finally {
      vi.unstubAllEnvs();
    }
    expect(requests.map(({ headers }) => JSON.stringify(headers).includes(KEY))).toEqual(provider.name === 'ollama' ? [false, true] : [true]);
  });
});

test('searches and documents are told apart where a model does; texts are never cut without a word', async () => {
  const sent = async (provider: Provider | undefined, purpose?: 'query' | 'document'): Promise<Body> => {
    if (provider === undefined) throw new Error('no such provider');
    const server = await playServer(making(provider));
    await provider.make({ baseUrl: baseOf(server, provider) }).embed('x', { purpose });
    return JSON.parse(server.requests[0]?.body ?? '') as Body;
  };
  const [openai, dashscope, gemini, ollama] = PROVIDERS;
  expect(await sent(openai, 'query')).toEqual({ model: 'm', input: ['x'], encoding_format: 'float' });
  expect(await Promise.all([sent(dashscope, 'query'), sent(dashscope)])).toEqual([{ model: 'm', input: { texts: ['x'] }, parameters: { text_type: 'query' } }, { model: 'm', input: { texts: ['x'] }, parameters: {} }]);
  expect(await sent(gemini, 'document')).toEqual({ requests: [{ model: 'models/m', content: { parts: [{ text: 'x' }] }, taskType: 'RETRIEVAL_DOCUMENT' }] });
  expect(await sent(ollama, 'query')).toEqual({ model: 'm', input: ['x'], truncate: false });
});

test('older models of DashScope take more texts in a request; OpenAI no more than its tokens of a request', async () => {
  const [openai, dashscope] = PROVIDERS;
  if (openai === undefined || dashscope === undefined) throw new Error('no such provider');
  const older = await playServer(making(dashscope));
  await dashscope.make({ baseUrl: baseOf(older, dashscope), modelName: 'text-embedding-v2' }).embed(Array.from({ length: 26 }, (_, at) => `t${at}`));
  const large = await playServer(making(openai));
  await openai.make({ baseUrl: large.baseUrl }).embed(Array.from({ length: 5 }, () => '字'.repeat(100_000)));
  const sizes = (provider: Provider, { requests }: typeof older): number[] => requests.map(({ body }) => provider.textsOf(JSON.parse(body) as Body).length);
  expect([sizes(dashscope, older), sizes(openai, large)]).toEqual([[25, 1], [3, 2]]);
});

test('what goes wrong with Ollama at first says what to do, for vectors too', async () => {
  const missing = await playServer(json({ error: 'model "m" not found, try pulling it first' }, 404));
  expect((await failure(() => new OllamaTextEmbedding({ modelName: 'm', baseUrl: missing.baseUrl }).embed('x'))).message).toContain('ollama pull m');
});
