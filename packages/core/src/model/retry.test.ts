import { expect, test, vi } from 'vitest';
import type { AgentScopeError } from '../error/index.ts';
import { Msg } from '../message/index.ts';
import type { ChatModel, ChatResponseChunk, ModelRequest } from './model.ts';
import { providerError } from './provider-error.ts';
import { retryAfterMs } from './retry-after.ts';
import { withRetry } from './retry.ts';
import type { RetryOptions } from './retry.ts';

const request: ModelRequest = { messages: [new Msg({ content: 'hi' })] };
const NOW = Date.parse('2026-01-01T00:00:00Z');

const limited = (headers: Record<string, string> = {}, status = 429): AgentScopeError => providerError({ provider: 'p', status, headers: new Headers(headers), body: '', clock: () => NOW });

/** Each try says its chunks, then throws its error, if it has one. */
function scripted(...tries: { chunks?: string[]; error?: Error }[]): ChatModel & { tries: number } {
  const model = {
    provider: 'p',
    modelName: 'm',
    tries: 0,
    async *stream(): AsyncGenerator<ChatResponseChunk> {
      const { chunks = [], error } = tries[model.tries++] ?? {};
      for (const text of chunks) yield { id: 'r', content: text === '' ? [] : [{ type: 'text', index: 0, text }] };
      if (error !== undefined) throw error;
      yield { id: 'r', content: [], finishReason: 'stop' };
    },
    call: () => Promise.reject(new Error('unused')),
  };
  return model;
}

async function waitsOf(model: ChatModel, options: RetryOptions = {}): Promise<{ waits: number[]; outcome: unknown }> {
  const waits: number[] = [];
  const retried = withRetry(model, { random: () => 1, sleep: async (ms) => void waits.push(ms), ...options });
  const outcome = await retried.call(request).then((response) => response.content, (error: unknown) => error);
  return { waits, outcome };
}

test('waits half a second, doubling to eight, with full jitter', async () => {
  const failing = Array.from({ length: 7 }, () => ({ error: limited() }));
  expect((await waitsOf(scripted(...failing), { maxAttempts: 8 })).waits).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
  expect((await waitsOf(scripted(...failing), { maxAttempts: 3, random: () => 0.25 })).waits).toEqual([125, 250]);
});

test('C136 obeys the wait a provider asks for, up to a minute; above it fails at once with the hint', async () => {
  const waitFor = async (headers: Record<string, string>): Promise<number[]> => (await waitsOf(scripted({ error: limited(headers) }), { random: () => 0 })).waits;
  expect(await waitFor({ 'retry-after': '2' })).toEqual([2000]);
  expect(await waitFor({ 'retry-after': '0.5' })).toEqual([500]);
  expect(await waitFor({ 'retry-after': 'Thu, 01 Jan 2026 00:00:03 GMT' })).toEqual([3000]);
  expect(await waitFor({ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' })).toEqual([0]);
  expect(await waitFor({ 'retry-after-ms': '250', 'retry-after': '9' })).toEqual([250]);
  expect((await waitsOf(scripted({ error: limited({ 'retry-after': 'abc' }) }))).waits).toEqual([500]);
  const { waits, outcome } = await waitsOf(scripted({ error: limited({ 'retry-after': '86400' }) }));
  expect([waits, outcome]).toMatchObject([[], { code: 'model/rate-limit', details: { status: 429, retryAfterMs: 86_400_000, retryable: true } }]);
});

test('C136 odd waits crash nothing', () => {
  for (const value of ['', 'abc', '-1', '1e9', 'NaN', '2 s', '2026']) expect(() => retryAfterMs(new Headers({ 'retry-after': value }))).not.toThrow();
  expect(retryAfterMs(new Headers({ 'retry-after': '-1' }))).toBeUndefined();
  expect(retryAfterMs(new Headers())).toBeUndefined();
});

test('C136 the error after the last try carries status and hint; ten that were limited together do not come back in one instant', async () => {
  const error = limited({ 'retry-after': '2' });
  expect((await waitsOf(scripted({ error }, { error }, { error }))).outcome).toMatchObject({ code: 'model/rate-limit', details: { status: 429, retryAfterMs: 2000 } });
  for (const headers of [{}, { 'retry-after': '2' }] as Record<string, string>[]) {
    const waits = await Promise.all(Array.from({ length: 10 }, async () => (await waitsOf(scripted({ error: limited(headers) }), { random: Math.random })).waits[0]));
    expect(new Set(waits).size).toBeGreaterThan(1);
  }
});

test('C136 an abort ends the wait at once and leaves no listener', async () => {
  const controller = new AbortController();
  const remove = vi.spyOn(controller.signal, 'removeEventListener');
  const outcome = withRetry(scripted({ error: limited({ 'retry-after': '59' }) })).call(request, { signal: controller.signal });
  setTimeout(() => controller.abort('stop'), 10);
  await expect(outcome).rejects.toBe('stop');
  expect(remove).toHaveBeenCalled();
});

test('leaving while it waits ends the wait', async () => {
  const iterator = withRetry(scripted({ error: limited({ 'retry-after': '59' }) })).stream(request)[Symbol.asyncIterator]();
  const waiting = iterator.next();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await iterator.return?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
});

test('C134 retries invisibly before the first content, never after it', async () => {
  const before = scripted({ chunks: ['', ''], error: limited() }, { chunks: ['The sky', ' is blue.'] });
  expect((await waitsOf(before)).outcome).toEqual([{ type: 'text', text: 'The sky is blue.' }]);
  const after = scripted({ chunks: ['The sky is bl'], error: limited() }, { chunks: ['The sky is blue.'] });
  expect((await waitsOf(after)).outcome).toMatchObject({ code: 'model/rate-limit' });
  expect(after.tries).toBe(1);
});

test('C137 what cannot pass is not tried again; a caller may decide', async () => {
  for (const [status, tries] of [[400, 1], [401, 1], [529, 2], [500, 2]] as const) {
    const model = scripted({ error: limited({}, status) });
    await waitsOf(model);
    expect([status, model.tries]).toEqual([status, tries]);
  }
  const bug = scripted({ error: new TypeError('a bug') });
  expect((await waitsOf(bug)).outcome).toBeInstanceOf(TypeError);
  expect(bug.tries).toBe(1);
  const picky = scripted({ error: limited() });
  await waitsOf(picky, { retryOn: () => false });
  expect(picky.tries).toBe(1);
  const told = scripted({ error: limited({ 'x-should-retry': 'false' }) });
  await waitsOf(told);
  expect(told.tries).toBe(1);
});
