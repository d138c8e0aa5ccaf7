import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from './support/cli.ts';

/** A server on this machine that plays Ollama: it lists these models, and answers with the name of the one that was asked. */
async function playOllama(names: readonly string[]): Promise<{ host: string; asked: string[]; close(): Promise<unknown> }> {
  const asked: string[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
      if (request.url === '/api/tags') return response.end(JSON.stringify({ models: names.map((name) => ({ name })) }));
      const { model } = JSON.parse(body) as { model: string };
      response.setHeader('content-type', 'application/x-ndjson');
      response.end(`${JSON.stringify({ model, message: { role: 'assistant', content: `said by ${model}` }, done: false })}\n${JSON.stringify({ model, message: { content: '' }, done: true, done_reason: 'stop' })}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close: () => new Promise((resolve) => server.close(resolve)) };
}

const ask = ['-m', 'Who are you?'];

test('a local Ollama is found and asked, its newest model that talks, or the one a variable names', async () => {
  const { host, asked } = await playOllama(['nomic-embed-text:latest', 'qwen3:8b', 'llama3.2:latest']);
  expect(await runCli(ask, { env: { OLLAMA_HOST: host } })).toMatchObject({ code: 0, stdout: 'said by qwen3:8b\n' });
  expect(await runCli(ask, { env: { OLLAMA_HOST: host, OLLAMA_MODEL: 'llama3.2' } })).toMatchObject({ code: 0, stdout: 'said by llama3.2\n' });
  expect(await runCli([...ask, '--model', 'ollama:mine'], { env: { OLLAMA_HOST: host } })).toMatchObject({ code: 0, stdout: 'said by mine\n' });
  expect(asked).toEqual(['GET /api/tags', 'POST /api/chat', 'GET /api/tags', 'POST /api/chat', 'POST /api/chat']);
});

test('a key in the environment comes before Ollama, --model and AGENTSCOPE_MODEL before both; with nothing it is offline', async () => {
  const { host, asked } = await playOllama(['qwen3:8b']);
  const chosen = async (env: Readonly<Record<string, string>>, ...args: string[]): Promise<string | undefined> => /· ([\w.-]+:[\w.:-]+)$/m.exec((await runCli(args, { env: { OLLAMA_HOST: host, ...env }, input: '/session\n/exit\n' })).stdout)?.[1];
  expect(await chosen({ ANTHROPIC_API_KEY: 'k' })).toMatch(/^anthropic:claude-/);
  expect(await chosen({ GOOGLE_API_KEY: 'k', GEMINI_MODEL: 'gemini-x' })).toBe('gemini:gemini-x');
  expect(await chosen({ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' })).toBe('openai:gpt-5.5');
  expect(await chosen({ AGENTSCOPE_MODEL: 'offline:demo' }, '--model', 'ollama:x')).toBe('ollama:x');
  expect(await chosen({ AGENTSCOPE_MODEL: 'openai:y' })).toBe('openai:y');
  expect(await chosen({ AGENTSCOPE_MODEL: 'offline:demo', ANTHROPIC_API_KEY: 'k' })).toBe('offline:demo');
  expect(asked).toEqual([]);
  expect(await chosen({})).toBe('ollama:qwen3:8b');
  expect(await chosen({ OLLAMA_HOST: '127.0.0.1:9' })).toBe('offline:demo');
  const empty = await playOllama([]);
  expect(await chosen({ OLLAMA_HOST: empty.host })).toBe('offline:demo');
});

test('models lists providers, whether a key is set, never the key, and what a local server has', async () => {
  const { host } = await playOllama(['qwen3:8b', 'mine\u001b[2J:latest']);
  const { code, stdout } = await runCli(['models'], { env: { OLLAMA_HOST: host, ANTHROPIC_API_KEY: 'sk-secret-0123456789' } });
  expect([code, stdout.includes('secret'), stdout.includes('\u001b')]).toEqual([0, false, false]);
  expect(stdout).toMatch(/^openai \(no key: set OPENAI_API_KEY\)\n {2}openai:gpt-5\.5 +1,050,000 tokens {2}text, image, file$/m);
  expect(stdout).toMatch(/^anthropic \(key in ANTHROPIC_API_KEY\)\n {2}anthropic:claude-/m);
  expect(stdout).toMatch(/^ollama \(no key needed\)\n {2}ollama:qwen3:8b .*\n {2}ollama:mine/m);
  expect(stdout).toMatch(/^offline:demo \(no key needed\)\n {2}offline:demo$/m);
  expect(stdout).toMatch(/\nWithout --model: anthropic:claude-\S+\n$/);
});

test('as JSON, one provider, live: what the provider says it has', async () => {
  const server = createServer((request, response) => response.end(JSON.stringify({ data: [{ id: 'gpt-5.5' }, { id: `for ${String(request.headers.authorization)}` }] })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
  const { code, stdout } = await runCli(['models', 'openai', '--live', '--json'], { env });
  expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ provider: 'openai', key: 'set', variable: 'OPENAI_API_KEY', problem: null, models: [{ id: 'openai:gpt-5.5', contextWindow: 1_050_000 }, { id: 'openai:for Bearer k' }] }]]);
});

test('a provider that cannot be asked says why; words that make no sense are told', async () => {
  const gone = await runCli(['models', 'ollama']);
  expect([gone.code, gone.stdout]).toEqual([1, expect.stringMatching(/^ollama \(no key needed\)\n {2}.*(?:ollama serve|could not be reached)/) as unknown]);
  expect((await runCli(['models'])).code).toBe(0);
  expect(await runCli(['models', 'nobody'])).toMatchObject({ code: 2, stderr: expect.stringContaining('There are: openai,') as unknown });
  expect((await runCli(['models', 'a', 'b'])).code).toBe(2);
  expect(await runCli(['models', '--liv'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--live') as unknown });
  expect((await runCli(['models', '--help'])).stdout).toMatch(/--live[\s\S]*--json[\s\S]*Exit codes/);
});

test('a model without its provider is told with it; a server that is not running with how to start it', async () => {
  expect(await runCli([...ask, '--model', 'claude-sonet-5'])).toMatchObject({ code: 2, stderr: expect.stringContaining('"anthropic:claude-sonnet-5"') as unknown });
  const { host, close } = await playOllama([]);
  await close();
  expect((await runCli([...ask, '--model', 'ollama:x'], { env: { OLLAMA_HOST: host } })).stderr).toContain('ollama serve');
});
