import { expect, test } from 'vitest';
import { ModelRegistry as bare } from './model/index.ts';
import { ModelRegistry } from './registry.ts';

test('the built-in providers are resolved by their ids, in the one registry of the process', async () => {
  expect(ModelRegistry).toBe(bare);
  expect(await ModelRegistry.resolve('openai:gpt-x')).toMatchObject({ provider: 'openai', modelName: 'gpt-x' });
  expect(await ModelRegistry.resolve('openai-responses:gpt-x')).toMatchObject({ provider: 'openai', modelName: 'gpt-x' });
  expect(await ModelRegistry.resolve('anthropic:claude-x')).toMatchObject({ provider: 'anthropic', modelName: 'claude-x' });
  expect(await ModelRegistry.resolve('gemini:gemini-x')).toMatchObject({ provider: 'gemini', modelName: 'gemini-x' });
  expect(await ModelRegistry.resolve('ollama:qwen3:8b')).toMatchObject({ provider: 'ollama', modelName: 'qwen3:8b' });
  expect((await ModelRegistry.resolve('offline:demo')).provider).toBe('offline');
});

test('an unknown id lists the providers and the variable to set', async () => {
  const error = await ModelRegistry.resolve('gpt-x').catch((thrown: unknown) => String(thrown));
  expect(error).toContain('openai:<name> (key: OPENAI_API_KEY)');
  expect(error).toContain('offline:demo');
});

test('the variables of a provider can be asked for: key and address', () => {
  expect(ModelRegistry.variablesOf('openai:gpt-x')).toEqual({ key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' });
  expect(ModelRegistry.variablesOf('gemini:x')).toEqual({ key: 'GEMINI_API_KEY', url: 'GOOGLE_GEMINI_BASE_URL' });
  expect(ModelRegistry.variablesOf('offline:demo')).toEqual({ key: undefined, url: undefined });
  expect(ModelRegistry.variablesOf('nobody:x')).toEqual({ key: undefined, url: undefined });
});
