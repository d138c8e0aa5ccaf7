import { existsSync, readFileSync } from 'node:fs';
import type { Msg } from '@agentscope/core';
import { expect, test } from 'vitest';
import { calls, chatServer, finish, says, send, streamed, streamedUntil, texts, withResolvers } from './support/chat-server.ts';
import type { Received, WireMessage } from './support/chat-server.ts';
import { CLI_WITH_TOOLS, runCli, startCli, tempFolder } from './support/cli.ts';
import { storedMessages } from './support/session.ts';

test('S4-003 two processes with one session share the conversation: the second request holds the first exchange', async () => {
  const server = await chatServer(says('Hello Ada.'), says('You are Ada.'));
  const options = { env: server.env, cwd: tempFolder() };
  await runCli(['--session', 'a/../b', '-m', 'I am Ada.'], options);
  expect(await runCli(['--session', 'a/../b', '-m', 'Who am I?'], options)).toMatchObject({ code: 0, stdout: 'You are Ada.\n', stderr: '' });
  expect(turns(server.requests[1])).toEqual([
    ['user', 'I am Ada.'],
    ['assistant', 'Hello Ada.'],
    ['user', 'Who am I?'],
  ]);
});

test('without --session nothing is kept and nothing is written', async () => {
  const server = await chatServer(says('Hello.'), says('No idea.'));
  const options = { env: server.env, cwd: tempFolder() };
  await runCli(['-m', 'I am Ada.'], options);
  await runCli(['-m', 'Who am I?'], options);
  expect(turns(server.requests[1])).toEqual([['user', 'Who am I?']]);
  expect(existsSync(`${options.cwd}/.agentscope`)).toBe(false);
});

test('--store keeps sessions elsewhere', async () => {
  const server = await chatServer(says('Hello.'), says('Ada.'));
  const options = { env: server.env, cwd: tempFolder() };
  await runCli(['--session', 's', '--store', 'kept/here', '-m', 'I am Ada.'], options);
  expect(existsSync(`${options.cwd}/kept/here`)).toBe(true);
  expect(existsSync(`${options.cwd}/.agentscope`)).toBe(false);
});

test('killed in mid-text, started again with --continue: the reply is finished, the user message is still there', async () => {
  const server = await chatServer(streamedUntil(texts('The first half')), says('The whole answer.'));
  const options = { env: server.env, cwd: tempFolder() };
  const first = startCli(['--session', 's', '-m', 'Tell me all.'], options);
  await first.printed('The first half');
  first.child.kill('SIGKILL');
  expect(await first.ended).toMatchObject({ code: null, signal: 'SIGKILL' });

  expect(await runCli(['--session', 's', '--continue'], options)).toEqual({ code: 0, signal: null, stdout: 'The whole answer.\n', stderr: '' });
  expect(turns(server.requests[1])).toEqual([['user', 'Tell me all.']]);
  expect(shape(await storedMessages(options.cwd, 's'))).toEqual(['USER: Tell me all.', 'ASSISTANT: The whole answer.']);
});

test('killed after a tool ran, started again with --continue: the tool is not run again, its result is used', async () => {
  const server = await chatServer(
    streamed(...calls({ id: 'c1', name: 'note', args: '{"text":"milk"}' })),
    streamedUntil(texts('I have wri')),
    says('I have written it down.'),
  );
  const options = { env: server.env, cwd: tempFolder(), program: CLI_WITH_TOOLS };
  const first = startCli(['--session', 's', '-m', 'Note: milk.'], options);
  await first.printed('I have wri');
  first.child.kill('SIGKILL');
  await first.ended;

  expect(await runCli(['--session', 's', '--continue'], options)).toMatchObject({ code: 0, stdout: 'I have written it down.\n', stderr: '' });
  expect(notebook(options.cwd)).toEqual(['milk']);
  expect(server.requests.length).toBe(3);
  expect(toolResults(server.requests[2])).toEqual([['c1', 'written']]);
  expect(shape(await storedMessages(options.cwd, 's'))).toEqual(['USER: Note: milk.', 'ASSISTANT: tool_use tool_result I have written it down.']);
});

test('killed while a tool with an effect runs: it is not run again, and the model is told', async () => {
  const server = await chatServer(streamed(...texts('Writing.'), ...calls({ id: 'c1', name: 'note', args: '{"text":"milk","hang":true}' })), says('I am not sure it was written.'));
  const options = { env: server.env, cwd: tempFolder(), program: CLI_WITH_TOOLS };
  const first = startCli(['--session', 's', '-m', 'Note: milk.'], options);
  await expect.poll(() => notebook(options.cwd), { timeout: 20_000 }).toEqual(['milk']);
  first.child.kill('SIGKILL');
  await first.ended;

  expect(await runCli(['--session', 's', '--continue'], options)).toMatchObject({ code: 0, stdout: 'I am not sure it was written.\n' });
  expect(notebook(options.cwd)).toEqual(['milk']);
  expect(toolResults(server.requests[1])).toEqual([['c1', expect.stringMatching(/interrupt|unknown|not known/i)]]);
});

test('killed before the model answered: --continue answers the message that was accepted', async () => {
  const server = await chatServer(streamedUntil([]), says('Here I am.'));
  const options = { env: server.env, cwd: tempFolder() };
  const first = startCli(['--session', 's', '-m', 'Anybody there?'], options);
  await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBe(1);
  first.child.kill('SIGKILL');
  await first.ended;
  expect(await runCli(['--session', 's', '--continue'], options)).toMatchObject({ code: 0, stdout: 'Here I am.\n' });
  expect(shape(await storedMessages(options.cwd, 's'))).toEqual(['USER: Anybody there?', 'ASSISTANT: Here I am.']);
});

test('--continue says so when there is nothing to continue', async () => {
  const server = await chatServer(says('Hello.'));
  const options = { env: server.env, cwd: tempFolder() };
  await runCli(['--session', 's', '-m', 'Hi.'], options);
  expect(await runCli(['--session', 's', '--continue'], options)).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/nothing to continue/) });
  expect(server.requests.length).toBe(1);
});

test('--continue of a session that is not there says so and makes none: exit code 2', async () => {
  const options = { cwd: tempFolder() };
  for (const store of [[], ['--store', 'kept/here']]) {
    const ended = await runCli(['--session', 'typo', '--continue', ...store], options);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^agentscope: There is no session "typo" in (\.agentscope\/sessions|kept\/here), so nothing to continue\..*\n$/) });
  }
  expect(existsSync(`${options.cwd}/.agentscope/sessions/typo`)).toBe(false);
  await runCli(['--session', 's', '-m', 'what is 2 + 2'], options);
  expect(await runCli(['--session', 'S', '--continue'], options)).toMatchObject({ code: 2 });
  expect(await runCli(['--session', 's', '--continue'], options)).toMatchObject({ code: 0 });
});

test('a session that another process writes says so, and that one goes on undisturbed', async () => {
  const { promise: gate, resolve: goOn } = withResolvers();
  const server = await chatServer(
    streamedUntil(texts('Still '), async (response) => {
      await gate;
      send(response, ...texts('here.'), finish('stop'), '[DONE]');
      response.end();
    }),
  );
  const options = { env: server.env, cwd: tempFolder() };
  const first = startCli(['--session', 's', '-m', 'Take your time.'], options);
  await first.printed('Still ');
  const second = await runCli(['--session', 's', '-m', 'Me too.'], options);
  expect(second).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/session "s" is being written by another process \(\d+\)/) });
  goOn();
  expect(await first.ended).toMatchObject({ code: 0, stdout: 'Still here.\n' });
  expect(shape(await storedMessages(options.cwd, 's'))).toEqual(['USER: Take your time.', 'ASSISTANT: Still here.']);
});

test('C070 SIGINT in mid-text interrupts the reply: partial text kept, session sound, exit code 130', async () => {
  const server = await chatServer(streamedUntil(texts('One, two')), says('Three.'));
  const options = { env: server.env, cwd: tempFolder() };
  const first = startCli(['--session', 's', '-m', 'Count.'], options);
  await first.printed('One, two');
  first.child.kill('SIGINT');
  expect(await first.ended).toEqual({ code: 130, signal: null, stdout: 'One, two\n', stderr: '' });
  await server.requests[0]?.closed;

  const stored = await storedMessages(options.cwd, 's');
  expect(shape(stored)).toEqual(['USER: Count.', 'ASSISTANT: One, two']);
  expect(stored.at(-1)?.generateReason).toBe('INTERRUPTED');
  expect(await runCli(['--session', 's', '--continue'], options)).toMatchObject({ stderr: expect.stringMatching(/nothing to continue/) });
  expect(await runCli(['--session', 's', '-m', 'Go on.'], options)).toMatchObject({ code: 0, stdout: 'Three.\n' });
});

test('C070 C071 SIGINT reaches a running tool: its call has an interrupted result, the next turn works', async () => {
  const server = await chatServer(streamed(...calls({ id: 'c1', name: 'note', args: '{"text":"milk","hang":true}' })), says('Fine.'));
  const options = { env: server.env, cwd: tempFolder(), program: CLI_WITH_TOOLS };
  const first = startCli(['--session', 's', '-m', 'Note: milk.'], options);
  await expect.poll(() => notebook(options.cwd), { timeout: 20_000 }).toEqual(['milk']);
  first.child.kill('SIGINT');
  expect(await first.ended).toMatchObject({ code: 130, stdout: '' });
  const calls_ = (await storedMessages(options.cwd, 's')).at(-1)?.getToolCalls();
  expect(calls_?.map(({ result }) => result?.state)).toEqual(['interrupted']);
  expect(await runCli(['--session', 's', '-m', 'Never mind.'], options)).toMatchObject({ code: 0, stdout: 'Fine.\n' });
});

test('a tool that asks, and no terminal: exit code 3, nothing runs, the question stays open', async () => {
  const server = await chatServer(streamed(...calls({ id: 'c1', name: 'launch', args: '{}' })), says('All right.'));
  const options = { env: server.env, cwd: tempFolder(), program: CLI_WITH_TOOLS };
  const waiting = { code: 3, stdout: '', stderr: 'agentscope: launch waits for a yes or no of a person.\n' };
  expect(await runCli(['--session', 's', '-m', 'Launch it.'], options)).toMatchObject(waiting);
  expect(await runCli(['--session', 's', '--continue'], options)).toMatchObject(waiting);
  expect(notebook(options.cwd)).toEqual([]);
  expect(await runCli(['--session', 's', '-m', 'Do not.'], options)).toMatchObject({ code: 0, stdout: 'All right.\n' });
  expect(notebook(options.cwd)).toEqual([]);
});

test('--allow lets a tool run unasked, --mode bypass does not silence a tool that asks; a rule for no tool is said on stderr', async () => {
  const launches = () => streamed(...calls({ id: 'c1', name: 'launch', args: '{}' }));
  const server = await chatServer(launches(), says('Launched.'), launches());
  const options = { env: server.env, cwd: tempFolder(), program: CLI_WITH_TOOLS };
  expect(await runCli(['-m', 'Launch it.', '--allow', 'launch', '--allow', 'lunch'], options)).toMatchObject({ code: 0, stdout: 'Launched.\n', stderr: expect.stringMatching(/^agentscope: A permission rule names the tool "lunch"/) });
  expect(notebook(options.cwd)).toEqual(['launched']);
  expect(await runCli(['-m', 'Launch it.', '--mode', 'bypass'], options)).toMatchObject({ code: 3 });
  expect(notebook(options.cwd)).toEqual(['launched']);
});

/** What a request says, the system prompt left out. */
function turns(request: Received | undefined): readonly (readonly [string, unknown])[] {
  return (request?.body.messages ?? []).filter(({ role }) => role !== 'system').map(({ role, content }: WireMessage) => [role, content]);
}

function toolResults(request: Received | undefined): readonly (readonly [string | undefined, unknown])[] {
  return (request?.body.messages ?? []).filter(({ role }) => role === 'tool').map(({ tool_call_id: id, content }) => [id, content]);
}

/** Role and blocks of each message, text as it is. */
function shape(messages: readonly Msg[]): readonly string[] {
  return messages.map(({ role, content }) => `${role}: ${content.map((block) => (block.type === 'text' ? block.text : block.type)).join(' ')}`);
}

function notebook(cwd: string): readonly string[] {
  const file = `${cwd}/notebook.txt`;
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}
