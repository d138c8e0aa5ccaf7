import { expect, test } from 'vitest';
import { AgentScopeError } from '../error/index.ts';
import { Msg } from '../message/index.ts';
import { defineChatModel } from './define.ts';
import type { ChatModelPiece } from './define.ts';
import type { ChatResponseChunk, ModelRequest } from './model.ts';
import { ModelRegistryStore } from './registry.ts';
import { withFallback } from './fallback.ts';

const request: ModelRequest = { messages: [new Msg({ content: 'hello there' })] };
const saying = (...pieces: ChatModelPiece[]): ReturnType<typeof defineChatModel> =>
  defineChatModel({ provider: 'own', modelName: 'm', async *stream() { yield* pieces; } });

async function chunksOf(stream: AsyncIterable<ChatResponseChunk>): Promise<ChatResponseChunk[]> {
  const chunks: ChatResponseChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

test('a model from its stream alone: text, a call, an end', async () => {
  const model = saying({ content: 'hello ' }, { content: ['there', { type: 'tool_use', id: 'c', name: 'clock', input: { a: 1 } }, 'x'] }, { finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } });
  const { id, ...response } = await model.call(request);
  expect(id).not.toBe('');
  expect(response).toEqual({
    content: [{ type: 'text', text: 'hello there' }, { type: 'tool_use', id: 'c', name: 'clock', input: { a: 1 }, content: '{"a":1}', state: 'pending', metadata: {} }, { type: 'text', text: 'x' }],
    usage: { inputTokens: 1, outputTokens: 1 },
    finishReason: 'stop',
  });
});

test('the finish reason and one id are filled in; thinking and media are blocks of their own; increments pass', async () => {
  const chunks = await chunksOf(saying({ content: [{ type: 'thinking', thinking: 'a' }, { type: 'thinking', thinking: 'b' }] }, { content: { type: 'data', source: { type: 'url', url: 'https://x' } } }, { content: [{ type: 'text', index: 7, text: 'y' }] }, { content: 'z' }).stream(request));
  expect(chunks.flatMap((chunk) => chunk.content.map((one) => `${one.index} ${one.type}`))).toEqual(['0 thinking', '0 thinking', '1 data', '7 text', '8 text']);
  expect(chunks.at(-1)).toMatchObject({ content: [], finishReason: 'stop' });
  expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
  expect((await saying({ content: { type: 'tool_use', id: 'a', name: 'f', input: {} } }).call(request)).finishReason).toBe('tool_calls');
});

test('an aborted signal throws its reason', async () => {
  await expect(saying({ content: 'x' }).call(request, { signal: AbortSignal.abort('why') })).rejects.toBe('why');
});

test('another model answers where the first failed before its first content', async () => {
  const failing = defineChatModel({ provider: 'bad', modelName: 'b', async *stream() { yield { content: [] }; throw new AgentScopeError('model/overloaded', 'x', { details: { provider: 'bad', retryable: true } }); } });
  const late = defineChatModel({ provider: 'bad', modelName: 'b', async *stream() { yield { content: 'half' }; throw new AgentScopeError('model/overloaded', 'late', { details: { provider: 'bad', retryable: true } }); } });
  const broken = defineChatModel({ provider: 'bad', modelName: 'b', async *stream() { yield {}; throw new TypeError('a bug'); } });
  const good = saying({ content: 'good' });
  expect((await withFallback([failing, good]).call(request)).content).toEqual([{ type: 'text', text: 'good' }]);
  await expect(withFallback([late, good]).call(request)).rejects.toThrow('late');
  await expect(withFallback([broken, good]).call(request)).rejects.toThrow('a bug');
  await expect(withFallback([good, failing]).call(request)).resolves.toMatchObject({ finishReason: 'stop' });
  await expect(withFallback([failing, failing]).call(request)).rejects.toThrow('x');
});

test('a registry resolves exact ids, words before the colon, and patterns; the newest first', async () => {
  const registry = new ModelRegistryStore();
  const asked: string[] = [];
  registry.registerFactory('echo', (name) => (asked.push(`old ${name}`), saying()), { variable: 'ECHO_KEY' });
  registry.registerFactory(/^x-(.+)$/g, (name) => (asked.push(`x ${name}`), saying()));
  registry.registerFactory('echo', async (name) => (asked.push(`new ${name}`), saying()), { variable: 'ECHO_KEY' });
  registry.registerFactory('demo:one', (name) => (asked.push(`demo ${name}`), saying()));
  const mine = saying();
  registry.register('echo:mine', mine);
  expect(await registry.resolve('echo:mine')).toBe(mine);
  for (const id of ['echo:a:b', 'x-1', 'x-2', 'demo:one']) await registry.resolve(id);
  expect(asked).toEqual(['new a:b', 'x 1', 'x 2', 'demo demo:one']);
  for (const [id, words] of [['nope:x', ['nope:x', 'echo:<name> (key: ECHO_KEY)', 'demo:one']], ['gpt-5', ['openai:gpt-5', 'OPENAI_API_KEY']], ['', ['empty']], ['echo:', ['names no model', '"echo:<name>"']], ['Echo', ['"echo:<name>"']], ['demo', ['"demo:one"']], ['demo:', ['"demo:one"']], ['other:', ['names no model']], ['demo:two', ['demo:two']]] as const) {
    const error = await registry.resolve(id).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'config/invalid', details: { option: 'model' } });
    for (const word of words) expect(String(error)).toContain(word);
  }
});
