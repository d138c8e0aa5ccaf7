import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { ReActAgent } from '@agentscope/core';
import { JsonSession } from '@agentscope/core/store/file';
import { scriptedModel } from '@agentscope/core/testing';
import { expect, test } from 'vitest';
import { calls, chatServer, finish, says, send, streamed, streamedUntil, texts, withResolvers } from './support/chat-server.ts';
import { CLI_WITH_TOOLS, runCli, startCli, tempFolder } from './support/cli.ts';
import type { Ended } from './support/cli.ts';
import { storedMessages } from './support/session.ts';

/** A folder with two sessions: one with a tool in it, one with a single turn. */
async function kept(): Promise<string> {
  const cwd = tempFolder();
  const server = await chatServer(streamed(...texts('Let me see.'), ...calls({ id: 'c1', name: 'calculator', args: '{"expression":"6*7"}' })), says('It is ', '42.'), says('You are Ada.'), says('Hello.'));
  await runCli(['--session', 'sums', '-m', 'I am Ada.\nWhat is 6*7?'], { cwd, env: server.env });
  await runCli(['--session', 'sums', '-m', 'Who am I?'], { cwd, env: server.env });
  await runCli(['--session', 'a b', '-m', 'Hi.'], { cwd, env: server.env });
  return cwd;
}

const CHAT = `> I am Ada.
  What is 6*7?
Let me see.
→ calculator {"expression":"6*7"}
← 42
It is 42.
> Who am I?
You are Ada.
`;

const done = (stdout: string): Ended => ({ code: 0, signal: null, stdout, stderr: '' });

test('sessions list shows the newest first, with user, turns and state; ids that are not one word are quoted', async () => {
  const cwd = await kept();
  const { code, stdout, stderr } = await runCli(['sessions', 'list'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>')).toBe('ID     USER  UPDATED               TURNS\n"a b"  -     <time>  1\nsums   -     <time>  2\n');
  const { stdout: json } = await runCli(['sessions', 'list', '--json', '--limit', '1'], { cwd });
  expect(JSON.parse(json)).toEqual([{ id: 'a b', user: null, updatedAt: expect.any(String) as string, unfinished: false, turns: 1, waiting: false, lastSeq: expect.any(Number) as number }]);
});

test('sessions list of an empty or missing folder says so and makes none', async () => {
  const cwd = tempFolder();
  expect(await runCli(['sessions', 'list', '--store', 'kept'], { cwd })).toEqual({ ...done(''), stderr: 'agentscope: there are no sessions in kept.\n' });
  expect(await runCli(['sessions', 'list', '--json'], { cwd })).toEqual(done('[]\n'));
  expect(readdirSync(cwd)).toEqual([]);
});

test('a session that was cut off is unfinished, one with an open question waits; both say so when they are shown', async () => {
  const cwd = tempFolder();
  const server = await chatServer(streamedUntil(texts('The first half')), streamed(...calls({ id: 'c1', name: 'launch', args: '{}' })));
  const options = { cwd, env: server.env, program: CLI_WITH_TOOLS };
  const first = startCli(['--session', 'cut', '-m', 'Tell me all.'], options);
  await first.printed('The first half');
  first.child.kill('SIGKILL');
  await first.ended;
  await runCli(['--session', 'asks', '-m', 'Launch it.'], options);

  const list = JSON.parse((await runCli(['sessions', 'list', '--json'], { cwd })).stdout) as { id: string; unfinished: boolean; waiting: boolean }[];
  expect(list.map(({ id, unfinished, waiting }) => ({ id, unfinished, waiting }))).toEqual([
    { id: 'asks', unfinished: false, waiting: true },
    { id: 'cut', unfinished: true, waiting: false },
  ]);
  expect((await runCli(['sessions', 'list', '--unfinished'], { cwd })).stdout).toMatch(/^ID .*\ncut .* unfinished\n$/);
  expect(await runCli(['sessions', 'show', 'asks'], { cwd })).toEqual(done('> Launch it.\n→ launch {}\n(launch waits for a yes or no)\n'));
  expect((await runCli(['sessions', 'show', 'cut'], { cwd })).stdout).toMatch(/^> Tell me all\.\n[^]*\(no end: the reply is running, or was cut off\)\n$/);
  expect((await runCli(['replay', 'cut', '--speed', '0'], { cwd })).stdout).toMatch(/\(no end: the reply is running, or was cut off\)\n$/);
});

test('one session that cannot be read hides no other', async () => {
  const cwd = await kept();
  const folder = `${cwd}/.agentscope/sessions/nobody`;
  const newer = `${folder}/${readdirSync(folder).find((name) => name.includes('sums')) ?? ''}`;
  for (const file of readdirSync(newer).filter((name) => name.endsWith('.jsonl'))) {
    writeFileSync(`${newer}/${file}`, readFileSync(`${newer}/${file}`, 'utf8').replace(/"schema":\d+/g, '"schema":999'));
  }
  const { code, stdout } = await runCli(['sessions', 'list'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toMatch(/"a b" .* 1\n/);
  expect(stdout).toMatch(/sums .* \?\n/);
  expect(await runCli(['sessions', 'show', 'sums'], { cwd })).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^agentscope: .*newer.*\n$/) });
});

test('sessions show prints the conversation as the chat does; --json its messages in the Java form', async () => {
  const cwd = await kept();
  expect(await runCli(['sessions', 'show', 'sums'], { cwd })).toEqual(done(CHAT));
  const { stdout } = await runCli(['sessions', 'show', 'sums', '--json'], { cwd });
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(await storedMessages(cwd, 'sums'))));
});

test('sessions export writes each format, to stdout or to a file whose ending says which', async () => {
  const cwd = await kept();
  const markdown = await runCli(['sessions', 'export', 'sums'], { cwd });
  expect(markdown.stdout).toMatch(/^# Session sums\n[^]*What is 6\*7\?[^]*`calculator` called with[^]*You are Ada\.\n$/);
  const jsonl = await runCli(['sessions', 'export', 'sums', '--format', 'jsonl'], { cwd });
  expect(jsonl.stdout.trimEnd().split('\n').map((line) => (JSON.parse(line) as { role: string }).role)).toEqual(['USER', 'ASSISTANT', 'USER', 'ASSISTANT']);
  expect(await runCli(['sessions', 'export', 'sums', '--out', 'sums.json'], { cwd })).toEqual(done(''));
  expect(JSON.parse(readFileSync(`${cwd}/sums.json`, 'utf8'))).toMatchObject({ sessionId: 'sums', messages: [{}, {}, {}, {}] });
  expect(await runCli(['sessions', 'export', 'sums', '--out', 'nowhere/x.md'], { cwd })).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^agentscope: ENOENT.*\n$/) });
});

test('sessions fork branches off before, after and at; the chat goes on with the branch', async () => {
  const cwd = await kept();
  const [first, , third] = await storedMessages(cwd, 'sums');
  expect(await runCli(['sessions', 'fork', 'sums', '--before', third?.id ?? '', '--to', 'early'], { cwd })).toEqual(done('early\n'));
  expect((await runCli(['sessions', 'show', 'early'], { cwd })).stdout).toBe(CHAT.slice(0, CHAT.indexOf('> Who')));
  expect((await runCli(['replay', 'early', '--speed', '0'], { cwd })).stdout).toBe(CHAT.slice(0, CHAT.indexOf('> Who')));
  const server = await chatServer(says('Nobody.'));
  await runCli(['--session', 'early', '-m', 'And who are you?'], { cwd, env: server.env });
  expect((await runCli(['replay', 'early', '--speed', '0'], { cwd })).stdout).toBe(`${CHAT.slice(0, CHAT.indexOf('> Who'))}> And who are you?\nNobody.\n`);

  await runCli(['sessions', 'fork', 'sums', '--after', first?.id ?? '', '--to', 'asked'], { cwd });
  expect((await runCli(['sessions', 'show', 'asked'], { cwd })).stdout).toBe('> I am Ada.\n  What is 6*7?\n');
  await runCli(['sessions', 'fork', 'sums', '--at', '1', '--to', 'empty'], { cwd });
  expect(await runCli(['sessions', 'show', 'empty'], { cwd })).toEqual(done(''));
  const { stdout: id } = await runCli(['sessions', 'fork', 'sums'], { cwd });
  expect(await runCli(['sessions', 'show', id.trimEnd()], { cwd })).toEqual(done(CHAT));
  expect(await runCli(['sessions', 'show', 'sums'], { cwd })).toEqual(done(CHAT));
});

test('sessions delete needs --yes where nobody can be asked, and leaves the others', async () => {
  const cwd = await kept();
  expect(await runCli(['sessions', 'delete', 'sums'], { cwd, input: 'y\n' })).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/Add --yes/) });
  expect((await storedMessages(cwd, 'sums')).length).toBe(4);
  expect(await runCli(['sessions', 'delete', 'sums', '--yes'], { cwd })).toEqual(done('Deleted "sums".\n'));
  expect(await runCli(['sessions', 'delete', 'sums', '--yes'], { cwd })).toMatchObject({ code: 2, stderr: expect.stringMatching(/There is no session "sums"/) });
  expect((await runCli(['sessions', 'list'], { cwd })).stdout).toMatch(/^ID .*\n"a b" .*\n$/);
});

test('a session that is being written is shown as far as it is, and not deleted', async () => {
  const cwd = tempFolder();
  const { promise: gate, resolve: goOn } = withResolvers();
  const server = await chatServer(
    streamedUntil(texts('Still '), async (response) => {
      await gate;
      send(response, ...texts('here.'), finish('stop'), '[DONE]');
      response.end();
    }),
  );
  const first = startCli(['--session', 's', '-m', 'Take your time.'], { cwd, env: server.env });
  await first.printed('Still ');
  expect(await runCli(['sessions', 'delete', 's', '--yes'], { cwd })).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/"s" is being written by another process/) });
  expect((await runCli(['sessions', 'show', 's'], { cwd })).stdout).toMatch(/^> Take your time\.\n/);
  goOn();
  expect(await first.ended).toMatchObject({ code: 0, stdout: 'Still here.\n' });
  expect((await runCli(['sessions', 'show', 's'], { cwd })).stdout).toBe('> Take your time.\nStill here.\n');
});

test('replay plays the conversation as the chat showed it; --events prints the events of the journal', async () => {
  const cwd = await kept();
  expect(await runCli(['replay', 'sums', '--speed', '1000'], { cwd })).toEqual(done(CHAT));
  const { stdout } = await runCli(['replay', 'sums', '--speed', '0', '--events'], { cwd });
  const events = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as { type: string; id: string });
  const stored: string[] = [];
  for await (const { event } of new ReActAgent({ name: 'Friday', model: scriptedModel(), session: new JsonSession(`${cwd}/.agentscope/sessions`) }).session({ sessionId: 'sums' }).events()) stored.push(event.id);
  expect(events.map(({ id }) => id)).toEqual(stored);
  expect(events.filter(({ type }) => type === 'AGENT_END').length).toBe(2);
});

test('replay is left by SIGINT, and by whoever reads it', async () => {
  const cwd = await kept();
  const slow = ['replay', 'sums', '--speed', '0.000001'];
  const interrupted = startCli(slow, { cwd });
  await interrupted.printed('> I am Ada.');
  interrupted.child.kill('SIGINT');
  expect(await interrupted.ended).toMatchObject({ code: 130, signal: null, stderr: '' });
  const unread = startCli(['replay', 'sums', '--speed', '0.05'], { cwd });
  await unread.printed('> I am Ada.');
  unread.child.stdout.destroy();
  expect(await unread.ended).toMatchObject({ code: 0, stderr: '' });
});

test('what was said into a running reply stands where it was said', async () => {
  const cwd = tempFolder();
  const model = scriptedModel([{ text: 'One. ' }, { tool: 'nothing' }], 'Two.');
  const session = new ReActAgent({ name: 'Friday', model, session: new JsonSession(`${cwd}/.agentscope/sessions`) }).session({ sessionId: 's' });
  const stream = session.streamEvents('Count.');
  for await (const event of stream) if (event.type === 'TEXT_BLOCK_START' && model.requests.length === 1) await session.steer('Slower.');
  const shown = await runCli(['sessions', 'show', 's'], { cwd });
  expect(shown.stdout).toMatch(/^> Count\.\nOne\. \n→ nothing [^]*\n✗ [^]*\n> Slower\.\nTwo\.\n$/);
  expect(await runCli(['replay', 's', '--speed', '0'], { cwd })).toEqual(shown);
});

test("a user's session is named by --user, and pointed to where that is missing", async () => {
  const cwd = tempFolder();
  const agent = new ReActAgent({ name: 'Friday', model: scriptedModel('Hello Ada.'), session: new JsonSession(`${cwd}/.agentscope/sessions`) });
  await agent.call('I am Ada.', { userId: 'ada', sessionId: 's' });
  expect((await runCli(['sessions', 'list', '--user', 'ada'], { cwd })).stdout).toMatch(/\ns {3}ada {3}/);
  expect((await runCli(['sessions', 'list', '--user', 'bob'], { cwd })).stdout).toBe('');
  expect(await runCli(['sessions', 'show', 's', '--user', 'ada'], { cwd })).toEqual(done('> I am Ada.\nHello Ada.\n'));
  expect(await runCli(['sessions', 'show', 's'], { cwd })).toMatchObject({ code: 2, stderr: expect.stringMatching(/The user "ada" has one: add --user/) });
});

/** Command lines, and what is said about them. */
const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
  [['sesions', 'list'], /no command sesions\. Did you mean sessions\?/],
  [['sessions'], /list, show, export, fork, watch, delete/],
  [['sessions', 'lst'], /no command sessions lst\. Did you mean list\?/],
  [['sessions', 'frobnicate'], /There are: list/],
  [['sessions', 'list', '--jsno'], /no --jsno\. Did you mean --json\?/],
  [['sessions', 'list', '--yes'], /There is no --yes/],
  [['sessions', 'list', '--limit', 'many'], /--limit takes a whole number/],
  [['sessions', 'list', 'sums'], /takes no id/],
  [['sessions', 'show'], /needs the id of a session/],
  [['sessions', 'show', 'sums', 'more'], /takes one id/],
  [['sessions', 'show', 'sum'], /^agentscope: There is no session "sum" in \.agentscope\/sessions\. Did you mean "sums"\?.*\n$/],
  [['sessions', 'export', 'typo'], /^agentscope: There is no session "typo" in \.agentscope\/sessions\..*\n$/],
  [['sessions', 'export', 'sums', '--format', 'markdwn'], /Did you mean markdown\?/],
  [['sessions', 'fork', 'sums', '--before', 'x', '--at', '1'], /Use one of them/],
  [['sessions', 'fork', 'sums', '--after', 'x'], /no message "x" in the session "sums"/],
  [['sessions', 'fork', 'sums', '--to', 'a b'], /There is a session "a b" already/],
  [['replay', 'typo'], /There is no session "typo"/],
  [['replay', 'sums', '--speed', 'fast'], /--speed takes a number/],
  [['replay', 'sums', '--evnets'], /Did you mean --events\?/],
  [['-m', 'x', 'replay'], /replay stands first/],
];

test('what cannot be meant is refused with exit code 2 and a reason that names what is near', async () => {
  const cwd = await kept();
  for (const [args, reason] of REFUSED) {
    expect({ args, ...(await runCli(args, { cwd })) }).toMatchObject({ args, code: 2, stdout: '', stderr: expect.stringMatching(reason) });
  }
});

test.each([['sessions'], ['sessions', 'list'], ['sessions', 'show'], ['sessions', 'export'], ['sessions', 'fork'], ['sessions', 'delete'], ['replay']])('%s %s --help says what it does and how it ends, and loads no library', async (...command) => {
  const cwd = tempFolder();
  mkdirSync(`${cwd}/loaded`);
  const { code, stdout } = await runCli([...command, '--help'], { cwd, env: { NODE_V8_COVERAGE: `${cwd}/loaded` } });
  expect(code).toBe(0);
  expect(stdout.startsWith(`agentscope ${command.join(' ')}`)).toBe(true);
  expect(stdout).toContain('Exit codes: 0 done');
  const [report = ''] = readdirSync(`${cwd}/loaded`);
  const loaded = readFileSync(`${cwd}/loaded/${report}`, 'utf8');
  expect(loaded).toContain('/cli/dist/main.js');
  expect(loaded).not.toContain('/core/dist/');
});
