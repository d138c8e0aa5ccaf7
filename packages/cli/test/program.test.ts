import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { calls, chatServer, json, says, send, streamed, streamedUntil, texts, withResolvers } from './support/chat-server.ts';
import { runCli, startCli, tempFolder } from './support/cli.ts';

const QUESTION = 'what is 17 * 23, and what time is it in Tokyo?';

test('S4-032 offline, with no key: 17 * 23 and the time in Tokyo come from the tools', async () => {
  const ended = await runCli(['-m', QUESTION]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toMatch(/\b391\b/);
  expect(ended.stdout).toMatch(/\d\d:\d\d.*Tokyo|Tokyo.*\d\d:\d\d/);
  const { stdout } = await runCli(['--events', '-m', QUESTION]);
  const results = events(stdout).filter(({ type }) => type === 'TOOL_RESULT_END');
  expect(results.map(({ toolCallName, state }) => `${toolCallName} ${state}`).toSorted()).toEqual(['calculator success', 'clock success']);
});

test('S0-037 --events prints one JSON event a line and nothing else, AGENT_START first, AGENT_END last', async () => {
  const { code, stdout, stderr } = await runCli(['--events', '-m', QUESTION]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const types = events(stdout).map(({ type }) => type);
  expect(types.at(0)).toBe('AGENT_START');
  expect(types.slice(-2)).toEqual(['AGENT_RESULT', 'AGENT_END']);
  expect(types.filter((type) => type === 'AGENT_START' || type === 'AGENT_END').length).toBe(2);
});

test('--events ends with AGENT_END also when the model fails; the reason is on stderr', async () => {
  const server = await chatServer(streamed(...texts('Half'), { error: { message: 'Gone.', type: 'server_error' } }));
  const { code, stdout, stderr } = await runCli(['--events', '-m', 'Hi.'], { env: server.env });
  expect(code).toBe(1);
  expect(events(stdout).at(-1)).toMatchObject({ type: 'AGENT_END', error: { type: 'model/overloaded' } });
  expect(stderr).toMatch(/^agentscope: /);
});

test('a chat on a pipe answers line after line in one conversation, with calls as short lines, and ends quietly', async () => {
  const server = await chatServer(streamed(...calls({ id: 'c1', name: 'calculator', args: '{"expression":"6*7"}' })), says('It is 42.'), says('Bye\u001b[31m!'));
  const ended = await runCli([], { env: server.env, input: 'What is 6*7?\n\nGood bye.\n' });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toBe('→ calculator {"expression":"6*7"}\n← 42\nIt is 42.\nBye[31m!\n');
  expect(server.requests[2]?.body.messages.filter(({ role }) => role === 'user').length).toBe(2);
});

test('the commands of the chat', async () => {
  const { code, stdout } = await runCli(['chat'], { input: '/help\n/session\n/what\n/exit\nnot said\n' });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\/exit +leave/m);
  expect(stdout).toMatch(/session Friday · 0 messages · in memory/);
  expect(stdout).toMatch(/There is no \/what/);
  expect(stdout).not.toMatch(/not said/);
});

test('an empty stdin ends the chat at once, without a word', async () => {
  expect(await runCli([])).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
});

test('SIGINT interrupts a reply of a chat on a pipe', async () => {
  const server = await chatServer(streamedUntil(texts('On and on')));
  const cli = startCli([], { env: server.env, input: 'Talk.\nMore.\n' });
  await cli.printed('On and on');
  cli.child.kill('SIGINT');
  expect(await cli.ended).toMatchObject({ code: 130, stdout: 'On and on\n(interrupted)\n' });
  expect(server.requests.length).toBe(1);
});

test('C080 a closed pipe ends quietly with 0, and the reply is given up', async () => {
  const { promise: gate, resolve: goOn } = withResolvers();
  const server = await chatServer(
    streamedUntil(texts('first line\n'), async (response) => {
      await gate;
      // More than one piece: the first write into the closed pipe only tells that it is closed.
      while (!response.destroyed) {
        send(response, ...texts('more\n'));
        await new Promise((resolve) => setImmediate(resolve));
      }
    }),
  );
  const cli = startCli(['-m', 'Talk.'], { env: server.env });
  await cli.printed('first line');
  cli.child.stdout.destroy();
  goOn();
  expect(await cli.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  await server.requests[0]?.closed;
});

test.runIf(existsSync('/dev/full'))('output that cannot be written ends with one plain line and exit code 1', async () => {
  const cases: readonly (readonly [readonly string[], string])[] = [[['-m', 'what is 2 + 2'], ''], [['--help'], ''], [['--version'], ''], [['-m', 'what is 2 + 2', '--events'], ''], [[], 'what is 2 + 2\nwhat is 3 + 3\n']];
  for (const [args, input] of cases) {
    const ended = await runCli(args, { stdout: '/dev/full', input });
    expect({ args, ...ended }).toEqual({ args, code: 1, signal: null, stdout: '', stderr: 'agentscope: the output could not be written (ENOSPC: no space left on device, write).\n' });
  }
});

test.runIf(existsSync('/dev/full'))('where not even problems can be told, the exit code still does', async () => {
  expect(await runCli(['--frobnicate'], { stderr: '/dev/full' })).toMatchObject({ code: 2, signal: null, stdout: '' });
});

test('a blank key counts as none', async () => {
  expect(await runCli(['-m', 'what is 2 + 2'], { env: { OPENAI_API_KEY: '  ', AGENTSCOPE_MODEL: ' ' } })).toMatchObject({ code: 0, stdout: expect.stringContaining('2 + 2 = 4') as string });
  expect(await runCli(['-m', 'x', '--model', 'openai:m'], { env: { OPENAI_API_KEY: '  ' } })).toMatchObject({ code: 1, stderr: expect.stringMatching(/no key: set OPENAI_API_KEY/) });
});

test('a wrong address, where a page answers, is named', async () => {
  const server = await chatServer((response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Welcome</p>'));
  const { host } = new URL(server.url);
  expect(await runCli(['-m', 'Hi.'], { env: server.env })).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`${host}/v1/chat/completions answered with text/html`) });
});

test('--model with a provider alone says how its ids read', async () => {
  expect(await runCli(['-m', 'Hi.', '--model', 'openai'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/reads "openai:<name>"/) });
  expect(await runCli(['-m', 'Hi.', '--model', 'offline'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/reads "offline:demo"/) });
});

test('an unknown model id lists the providers and the variable to set, and makes no session', async () => {
  const cwd = tempFolder();
  const ended = await runCli(['--model', 'acme:large', '--session', 's', '-m', 'Hi.'], { cwd });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toMatch(/"acme:large".*openai:<name> \(key: OPENAI_API_KEY\).*offline:demo.*--model/);
  expect(await runCli(['--session', 's', '--continue', '--model', 'offline:demo'], { cwd })).toMatchObject({ stderr: expect.stringMatching(/nothing to continue/) });
  expect(await runCli(['-m', 'Hi.'], { env: { AGENTSCOPE_MODEL: 'gpt-5.5' } })).toMatchObject({ code: 2, stderr: expect.stringMatching(/openai:gpt-5\.5/) });
});

test('a wrong key says which variable was used, never the key', async () => {
  const server = await chatServer(json('{"error":{"message":"Incorrect API key provided: sk-test-0123456789.","type":"invalid_request_error","code":"invalid_api_key"}}', 401));
  const { code, stdout, stderr } = await runCli(['-m', 'Hi.'], { env: server.env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/key in OPENAI_API_KEY was refused/);
  expect(stderr).not.toMatch(/0123456789/);
});

test('a missing key names the variable', async () => {
  expect(await runCli(['-m', 'Hi.', '--model', 'openai:gpt-5.5'])).toMatchObject({ code: 1, stderr: expect.stringMatching(/no key: set OPENAI_API_KEY/) });
});

test('no network says which host could not be reached', async () => {
  const ended = await runCli(['-m', 'Hi.'], { env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } });
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/127\.0\.0\.1:9 could not be reached/) });
});

test('problems with an address name the variable of the provider that was asked, and no other', async () => {
  const both = (url: string): Record<string, string> => ({ OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k', OPENAI_BASE_URL: url, GOOGLE_GEMINI_BASE_URL: url });
  const said = async (model: string, env: Readonly<Record<string, string>>): Promise<string> => (await runCli(['-m', 'Hi.', '--model', model], { env })).stderr;
  expect(await said('openai:m', both('nowhere'))).toBe('agentscope: OPENAI_BASE_URL is not an http or https address.\n');
  expect(await said('gemini:m', both('nowhere'))).toBe('agentscope: GOOGLE_GEMINI_BASE_URL is not an http or https address.\n');
  expect(await said('gemini:m', both('http://127.0.0.1:9'))).toMatch(/127\.0\.0\.1:9 could not be reached.*Check the network and GOOGLE_GEMINI_BASE_URL\.\n$/);
  const server = await chatServer(json('{"error":{"code":401,"message":"No.","status":"UNAUTHENTICATED"}}', 401));
  const address = { ...both('http://elsewhere.example'), GOOGLE_GEMINI_BASE_URL: new URL(server.url).origin };
  expect(await said('gemini:m', address)).toBe(`agentscope: The key in GEMINI_API_KEY was refused (HTTP 401). Check that it is valid at ${new URL(server.url).host}.\n`);
  expect(await said('gemini:m', {})).toBe('agentscope: There is no key: set GEMINI_API_KEY, or use --model offline:demo.\n');
});

test.each([
  [['-m', ''], /-m is empty/],
  [['--message', '  '], /--message is empty/],
  [['-m'], /-m needs a value/],
  [['-m', '--events'], /-m needs a value/],
  [['--evnets', '-m', 'x'], /no --evnets\. Did you mean --events\?/],
  [['--frobnicate'], /no --frobnicate\./],
  [['-x'], /no -x\./],
  [['hello'], /-m "hello"/],
  [['--continue'], /--session/],
  [['--continue', '--session', 's', '-m', 'x'], /one of the two/],
  [['--events'], /needs -m/],
  [['--events=yes', '-m', 'x'], /takes no value/],
  [['--store', 'x', '-m', 'x'], /--session/],
  [['--session', '', '-m', 'x'], /--session is empty/],
] as const)('%j is refused with exit code 2 and a reason', async (args, reason) => {
  expect(await runCli(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(reason) });
});

test('a message may begin with a dash', async () => {
  const server = await chatServer(says('Minus two.'));
  expect(await runCli(['-m', '-5 + 3'], { env: server.env })).toMatchObject({ code: 0, stdout: 'Minus two.\n' });
  expect(server.requests[0]?.body.messages.at(-1)?.content).toBe('-5 + 3');
});

test('the model: --model, then AGENTSCOPE_MODEL, then OPENAI_MODEL, then the default', async () => {
  const server = await chatServer(says('1'), says('2'), says('3'), says('4'));
  const env = { ...server.env, OPENAI_MODEL: 'third' };
  await runCli(['-m', 'x', '--model', 'openai:first'], { env: { ...env, AGENTSCOPE_MODEL: 'openai:second' } });
  await runCli(['-m', 'x'], { env: { ...env, AGENTSCOPE_MODEL: 'openai:second' } });
  await runCli(['-m', 'x'], { env });
  await runCli(['-m', 'x'], { env: server.env });
  expect(server.requests.map(({ body }) => body.model)).toEqual(['first', 'second', 'third', 'gpt-5.5']);
});

test('--help documents every flag and exit code, --version is the package version', async () => {
  const { code, stdout } = await runCli(['--help']);
  expect(code).toBe(0);
  for (const word of ['--message', '--model', '--session', '--continue', '--store', '--events', '--version', 'agentscope sessions', 'agentscope replay', '0 done', '1 failed', '2 ', '3 ', '130']) expect(stdout).toContain(word);
  expect(await runCli(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

interface PrintedEvent {
  readonly type: string;
  readonly toolCallName?: string;
  readonly state?: string;
}

function events(stdout: string): PrintedEvent[] {
  return stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as PrintedEvent);
}
