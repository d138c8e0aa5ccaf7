import { Msg } from '@agentscope/core';
import { describe, expect, test } from 'vitest';
import { noTerminal, openTerminal } from '../../core/test/support/terminal.ts';
import { calls, chatServer, finish, says, send, streamed, streamedUntil, texts, withResolvers } from './support/chat-server.ts';
import { CLI, CLI_WITH_TOOLS, runCli, startCli, tempFolder } from './support/cli.ts';
import { storedMessages } from './support/session.ts';

const call = streamed(...calls({ id: 'c1', name: 'calculator', args: '{"expression":"1+1"}' }));

test('--json prints the reply as one message, which reads back; with a question open too', async () => {
  const server = await chatServer(call, says('Two.'), streamed(...calls({ id: 'c2', name: 'launch', args: '{}' })));
  const options = { env: server.env, cwd: tempFolder(), program: CLI_WITH_TOOLS };
  const done = await runCli(['--json', '--session', 's', '-m', 'Add.'], options);
  expect(done).toMatchObject({ code: 0, stderr: '' });
  const msg = Msg.from(JSON.parse(done.stdout) as Msg);
  expect([msg.getTextContent(), msg.getToolCalls().length, done.stdout.trimEnd().includes('\n')]).toEqual(['Two.', 1, false]);
  expect(JSON.parse(done.stdout)).toEqual(JSON.parse(JSON.stringify((await storedMessages(options.cwd, 's')).at(-1))));
  const waits = await runCli(['--json', '-m', 'Launch.'], options);
  expect(waits).toMatchObject({ code: 3, stderr: 'agentscope: launch waits for a yes or no of a person.\n' });
  expect(Msg.from(JSON.parse(waits.stdout) as Msg).generateReason).toBe('PERMISSION_ASKING');
});

test('--max-iters ends with a summary and its own exit code', async () => {
  const server = await chatServer(call, says('That is as far as I got.'));
  expect(await runCli(['--max-iters', '1', '-m', 'Add.'], { env: server.env })).toEqual({ code: 4, signal: null, stdout: 'That is as far as I got.\n', stderr: '' });
  for (const value of ['0', '1.5', 'many']) expect(await runCli(['--max-iters', value, '-m', 'x'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/--max-iters takes a whole number/) });
});

test('--timeout interrupts the reply and says so; what was said until then is kept', async () => {
  const server = await chatServer(streamedUntil(texts('Half')));
  const options = { env: server.env, cwd: tempFolder() };
  expect(await runCli(['--timeout', '1', '--session', 's', '-m', 'Go.'], options)).toEqual({ code: 124, signal: null, stdout: 'Half\n', stderr: 'agentscope: the reply took longer than 1 s and was interrupted.\n' });
  expect((await storedMessages(options.cwd, 's')).map((msg) => msg.getTextContent())).toEqual(['Go.', 'Half']);
});

test('-m - says what stands on stdin, all of it', async () => {
  const server = await chatServer(says('Read.'));
  expect(await runCli(['-m', '-'], { env: server.env, input: 'line 1\n\nline 世界\n' })).toMatchObject({ code: 0, stdout: 'Read.\n' });
  expect(server.requests[0]?.body.messages.at(-1)?.content).toBe('line 1\n\nline 世界');
  expect(await runCli(['-m', '-'], { env: server.env })).toMatchObject({ code: 2, stderr: expect.stringMatching(/stdin, and nothing does/) });
});

test.each([
  [['--json'], /--json shows one reply: it needs -m/],
  [['--json', '--events', '-m', 'x'], /one of the two/],
  [['--timeout', '5'], /needs -m/],
  [['--plain', '-m', 'x'], /for the chat/],
  [['--jsno', '-m', 'x'], /no --jsno\. Did you mean --json\?/],
  [['--max-iter', '3', '-m', 'x'], /Did you mean --max-iters\?/],
  [['session'], /Did you mean sessions\?/],
  [['sessions', 'wacth', 's'], /Did you mean watch\?/],
] as const)('%j is refused with exit code 2 and a reason', async (args, reason) => {
  expect(await runCli(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(reason) });
});

test('a session of ten turns in ten processes equals the same session in one', async () => {
  const turns = Array.from({ length: 10 }, (_, i) => `turn ${i + 1}`);
  const answers = turns.flatMap((turn, i) => (i % 3 === 1 ? [call, says(`after a tool: ${turn}`)] : [says('answer to ', turn)]));
  const server = await chatServer(...answers, ...answers);
  const [many, one] = [tempFolder(), tempFolder()];
  for (const turn of turns) expect(await runCli(['--session', 's', '-m', turn], { cwd: many, env: server.env })).toMatchObject({ code: 0, stderr: '' });
  await runCli(['--session', 's'], { cwd: one, env: server.env, input: `${turns.join('\n')}\n` });
  // What the model was sent, byte for byte, and what is kept.
  const bodies = server.requests.map(({ body }) => JSON.stringify(body));
  expect(bodies.slice(0, answers.length)).toEqual(bodies.slice(answers.length));
  const told = async (cwd: string): Promise<unknown> => anyRun(JSON.stringify(await storedMessages(cwd, 's')));
  expect(await told(many)).toEqual(await told(one));
  expect((await storedMessages(many, 's')).length).toBe(20);
});

/** Ids and times are each run's own (a block's id begins with the number of its writer); the same id has the same place in both. */
function anyRun(json: string): unknown {
  const ids = new Map<string, string>();
  const named = json.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|"b\d+\.\d/g, (id) => {
    if (id.startsWith('"b')) return id.replace(/\d+/, '#');
    if (!ids.has(id)) ids.set(id, `id ${ids.size}`);
    return ids.get(id) ?? '';
  });
  return JSON.parse(named.replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?/g, '<time>').replaceAll(/"time":[\d.e-]+/g, '"time":0'));
}

describe('a session another process is at work in', () => {
  test('is told with that process, and can be watched from elsewhere to its end', async () => {
    const { promise: gate, resolve: goOn } = withResolvers();
    const server = await chatServer(says('Before.'), async (response) => {
      await streamedUntil(texts('Still '), () => gate)(response);
      send(response, ...texts('here.'), finish('stop'));
      response.end('data: [DONE]\n\n');
    });
    const options = { env: server.env, cwd: tempFolder() };
    await runCli(['--session', 's', '-m', 'First.'], options);
    const first = startCli(['--session', 's', '-m', 'Take your time.'], options);
    await first.printed('Still ');
    const second = await runCli(['--session', 's', '-m', 'Me too.'], options);
    expect(second).toMatchObject({ code: 1, stdout: '', stderr: `agentscope: The session "s" is being written by another process (${first.child.pid}). Wait until that one has ended, use another --session, or look on: agentscope sessions watch s\n` });
    const viewer = startCli(['sessions', 'watch', 's'], options);
    await viewer.printed('> Take your time.');
    goOn();
    await first.ended;
    await viewer.printed('here.');
    viewer.child.kill('SIGINT');
    expect(await viewer.ended).toEqual({ code: 0, signal: null, stdout: '> First.\nBefore.\n> Take your time.\nStill here.\n', stderr: '' });
  });

  test('what is said there later is watched as well; what is not there is refused', async () => {
    const server = await chatServer(says('One.'), says('Two.'));
    const options = { env: server.env, cwd: tempFolder() };
    await runCli(['--session', 's', '-m', 'First.'], options);
    const viewer = startCli(['sessions', 'watch', 's'], options);
    await viewer.printed('One.');
    await runCli(['--session', 's', '-m', 'Second.'], options);
    await viewer.printed('> Second.\nTwo.');
    viewer.child.stdout.destroy();
    await runCli(['--session', 's', '-m', 'Third.'], options);
    expect(await viewer.ended).toMatchObject({ code: 0, stderr: '' });
    expect(await runCli(['sessions', 'watch', 'x'], options)).toMatchObject({ code: 2, stderr: expect.stringMatching(/no session "x"/) });
  });

  test.skipIf(noTerminal !== undefined)('in a terminal it is offered to watch', async () => {
    const { promise: gate, resolve: goOn } = withResolvers();
    const server = await chatServer(async (response) => {
      await streamedUntil(texts('Still '), () => gate)(response);
      send(response, ...texts('here.'), finish('stop'));
      response.end('data: [DONE]\n\n');
    });
    const cwd = tempFolder();
    const first = startCli(['--session', 's', '-m', 'Slowly.'], { cwd, env: server.env });
    await first.printed('Still ');
    const shell = await openTerminal([process.execPath, CLI, '--session', 's', '-m', 'Me too.'], { cwd, env: server.env });
    await shell.shows('Watch it?');
    await shell.type('y');
    await shell.press('Enter');
    const chat = await openTerminal([process.execPath, CLI, '--session', 's'], { cwd, env: server.env });
    await chat.shows('/help lists');
    await chat.type('/watch');
    await chat.press('Enter');
    await chat.shows('> Slowly.');
    goOn();
    await shell.shows(/> Slowly\.\nStill here\./);
    await chat.shows('Still here.');
    await shell.press('C-c');
    expect(await shell.ended()).toBe(0);
    await chat.press('C-c');
    await chat.shows(/\n>\n/);
    await chat.press('C-d');
    expect(await chat.ended()).toBe(0);
  });
});
