import { expect, test } from 'vitest';
import { calls, chatServer, finish, json, says, send, streamed, streamedUntil, texts, withResolvers } from './support/chat-server.ts';
import { runCli, startCli } from './support/cli.ts';
import { hasRecordings, recordings } from './support/recordings.ts';
import type { Truth } from './support/recordings.ts';

test('text is printed as it comes, and nothing else', async () => {
  const { promise: gate, resolve: goOn } = withResolvers();
  const server = await chatServer(
    streamedUntil(texts('Hel', 'lo '), async (response) => {
      await gate;
      send(response, ...texts('wörld 🌍'), finish('stop'), '[DONE]');
      response.end();
    }),
  );
  const cli = startCli(['-m', 'Say hello.'], { env: server.env });
  await cli.printed('Hello ');
  goOn();
  expect(await cli.ended).toEqual({ code: 0, signal: null, stdout: 'Hello wörld 🌍\n', stderr: '' });
  expect(server.requests).toMatchObject([{ url: '/v1/chat/completions', key: 'Bearer sk-test-0123456789', body: { model: 'gpt-5.5' } }]);
  expect(server.requests[0]?.body.messages.at(-1)).toMatchObject({ role: 'user', content: 'Say hello.' });
});

test('S4-032 S4-006 S4-007 a call runs the calculator, and the next request holds its result', async () => {
  const server = await chatServer(streamed(...calls({ id: 'c1', name: 'calculator', args: '{"expression":"17 * 23"}' })), says('It is 391.'));
  const ended = await runCli(['-m', 'What is 17 * 23?'], { env: server.env });
  expect(ended).toEqual({ code: 0, signal: null, stdout: 'It is 391.\n', stderr: '' });
  expect(server.requests[1]?.body.messages.slice(-2)).toMatchObject([
    { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'calculator', arguments: '{"expression":"17 * 23"}' } }] },
    { role: 'tool', tool_call_id: 'c1', content: '391' },
  ]);
});

test('parallel calls all run, their results stand in call order', async () => {
  const server = await chatServer(
    streamed(
      ...texts('Let me see.'),
      ...calls({ id: 'c1', name: 'clock', args: '{"zone":"Asia/Tokyo"}' }, { id: 'c2', name: 'calculator', args: '{"expression":"2 ^ 10"}' }, { id: 'c3', name: 'calculator', args: '{"expression":"1 +"}' }),
    ),
    says('Done.'),
  );
  const ended = await runCli(['-m', 'Time and numbers.'], { env: server.env });
  expect(ended).toMatchObject({ code: 0, stdout: 'Let me see.\nDone.\n' });
  expect(server.requests[1]?.body.messages.slice(-3)).toMatchObject([
    { role: 'tool', tool_call_id: 'c1', content: expect.stringMatching(/\d\d:\d\d:\d\d \(Asia\/Tokyo, GMT\+9\)/) },
    { role: 'tool', tool_call_id: 'c2', content: '1024' },
    { role: 'tool', tool_call_id: 'c3', content: expect.stringMatching(/unexpected/) },
  ]);
});

test('C018 a call without arguments, sent as an empty text, runs the tool once', async () => {
  const server = await chatServer(streamed(...calls({ id: 'c1', name: 'clock', args: '' })), says('Now.'));
  expect(await runCli(['-m', 'How late is it?'], { env: server.env })).toMatchObject({ code: 0, stdout: 'Now.\n' });
  const [call, result, ...rest] = server.requests[1]?.body.messages.slice(-2) ?? [];
  expect(call?.tool_calls?.[0]?.function).toEqual({ name: 'clock', arguments: '{}' });
  expect(result).toMatchObject({ role: 'tool', content: expect.stringMatching(/\d\d:\d\d:\d\d/) });
  expect(rest).toEqual([]);
});

test('C026 a tool nobody has is an error result the model can mend', async () => {
  const server = await chatServer(streamed(...calls({ id: 'c1', name: 'teleport', args: '{}' })), says('I cannot.'));
  expect(await runCli(['-m', 'Beam me up.'], { env: server.env })).toMatchObject({ code: 0, stdout: 'I cannot.\n' });
  expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'c1', content: expect.stringMatching(/teleport/) });
});

test('a zone nobody knows is answered with the ones that may be meant', async () => {
  const server = await chatServer(streamed(...calls({ id: 'c1', name: 'clock', args: '{"zone":"Tokio"}' }, { id: 'c2', name: 'clock', args: '{"zone":"new york"}' })), says('Sorry.'));
  await runCli(['-m', 'Time?'], { env: server.env });
  const [first, second] = server.requests[1]?.body.messages.slice(-2) ?? [];
  expect(first?.content).toMatch(/no time zone "Tokio".*Asia\/Tokyo/);
  expect(second?.content).toMatch(/America\/New_York/);
});

test('an error in mid-stream: what was said stays on stdout, the reason is on stderr, exit code 1', async () => {
  const failing = streamed(...texts('As far as '), ...texts('I got'), { error: { message: 'The engine is overloaded.', type: 'server_error', code: 'overloaded' } });
  const server = await chatServer(failing);
  const ended = await runCli(['-m', 'Go on.'], { env: server.env });
  expect(ended).toMatchObject({ code: 1, stdout: 'As far as I got\n' });
  expect(ended.stderr).toMatch(/^agentscope: .*overloaded/);
  expect(server.requests.length).toBe(1);
});

test('a connection that breaks in mid-stream: exit code 1, partial text kept', async () => {
  const server = await chatServer(streamedUntil(texts('Half an ans'), (response) => void setImmediate(() => response.destroy())));
  const ended = await runCli(['-m', 'Go on.'], { env: server.env });
  expect(ended).toMatchObject({ code: 1, stdout: 'Half an ans\n' });
  expect(ended.stderr).toMatch(/^agentscope: .*(broke|reached)/);
});

test('a refused request: what the server said is on stderr', async () => {
  const server = await chatServer(json('{"error":{"message":"This model does not exist.","type":"invalid_request_error","code":"model_not_found"}}', 404));
  const ended = await runCli(['-m', 'Hi.', '--model', 'openai:gpt-none'], { env: server.env });
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toMatch(/This model does not exist/);
  expect(server.requests[0]?.body.model).toBe('gpt-none');
});

test('the recorded answers are read', ({ skip }) => {
  if (!hasRecordings) skip('no recorded answers at hand: set AGENTSCOPE_SHARED, or put shared/ beside the repository');
  expect(recordings().length).toBeGreaterThan(10);
});

test.each(recordings().map((recording) => [recording.name, recording] as const))('recorded answer %s reads as its truth says', async (_name, { answer, truth }) => {
  const server = await chatServer(answer, says('After the tools.'));
  const ended = await runCli(['-m', 'Go.', '--events'], { env: server.env });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(firstCall(ended.stdout)).toEqual({ text: truth.text + (truth.refusal ?? ''), reasoning: truth.reasoning, toolCalls: truth.toolCalls.map(({ id, name, args }) => ({ id, name, args })) });
  expect(server.requests.length).toBe(truth.toolCalls.length > 0 ? 2 : 1);
  const results = server.requests[1]?.body.messages.filter(({ role }) => role === 'tool') ?? [];
  expect(results.map(({ tool_call_id: id }) => id)).toEqual(truth.toolCalls.map(({ id }) => id));
});

interface PrintedEvent {
  readonly type: string;
  readonly delta?: string;
  readonly toolCallId?: string;
  readonly toolCallName?: string;
}

/** What the events of the first model call add up to. */
function firstCall(stdout: string): Truth {
  const events = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as PrintedEvent);
  const said = events.slice(0, events.findIndex(({ type }) => type === 'MODEL_CALL_END'));
  const joined = (type: string, id?: string): string =>
    said.filter((event) => event.type === type && event.toolCallId === id).map(({ delta }) => delta).join('');
  const started = said.filter(({ type }) => type === 'TOOL_CALL_START');
  return {
    text: joined('TEXT_BLOCK_DELTA'),
    reasoning: joined('THINKING_BLOCK_DELTA'),
    toolCalls: started.map(({ toolCallId: id = '', toolCallName: name = '' }) => ({ id, name, args: JSON.parse(joined('TOOL_CALL_DELTA', id)) as object })),
  };
}
