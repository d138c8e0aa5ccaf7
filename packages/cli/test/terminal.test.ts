import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noTerminal, openTerminal } from '../../core/test/support/terminal.ts';
import type { Terminal, TerminalOptions } from '../../core/test/support/terminal.ts';
import { calls, chatServer, finish, says, send, streamed, streamedUntil, texts, withResolvers } from './support/chat-server.ts';
import type { Answer, ChatServer } from './support/chat-server.ts';
import { CLI, CLI_WITH_TOOLS, tempFolder } from './support/cli.ts';
import { storedMessages } from './support/session.ts';

const MARKDOWN = `# Rivers

Some **bold**, some *italic* and some \`code\`, and a sentence that is too long for one line of a terminal of eighty columns.

- one
- two, with a longer text that has to be broken somewhere before the end of the line comes
  1. inner

| river | length | where |
|---|--:|---|
| 長江 | 6300 km | Asia |
| Nile | 6650 km | Africa, and it is a long way from its springs to the sea |

\`\`\`ts
const length = "6300 km"; // long
\`\`\`

> To be quoted.
`;

describe.skipIf(noTerminal !== undefined)('the chat on a terminal', () => {
  test('text is Markdown while it comes, and the same when it has ended', async () => {
    const { promise: gate, resolve: goOn } = withResolvers();
    const pieces = MARKDOWN.match(/[^]{1,7}/g) ?? [];
    const server = await chatServer(async (response) => {
      await streamedUntil(texts(...pieces.slice(0, 20)), () => gate)(response);
      send(response, ...texts(...pieces.slice(20)), finish('stop'));
      response.end('data: [DONE]\n\n');
    });
    const { terminal } = await chatWith(server);
    await say(terminal, 'Rivers?');
    await terminal.shows(/Rivers\n\nSome bold, some italic and some code, and a sentence.*\n[^]*⠋|⠙|⠹|⠸|⠼|⠴|⠦|⠧|⠇|⠏/);
    goOn();
    await terminal.shows('│ To be quoted.');
    await isIdle(terminal);
    await expect(await picture(terminal)).toMatchFileSnapshot('screens/markdown.txt');
  });

  test('without colour the signs of Markdown stand for them, and no colour is sent', async () => {
    const server = await chatServer(says(MARKDOWN));
    const { terminal } = await chatWith(server, { env: { NO_COLOR: '1' } });
    await say(terminal, 'Rivers?');
    await terminal.shows('│ To be quoted.');
    await isIdle(terminal);
    const screen = await picture(terminal, { colors: true });
    // oxlint-disable-next-line no-control-regex -- colours begin so
    expect(screen).not.toMatch(/\u001b\[/);
    expect(screen).toContain('# Rivers');
    expect(screen).toContain('`code`');
  });

  test('calls and results take a few lines each; Ctrl-O shows all', async () => {
    const args = JSON.stringify({ text: `a long text ${'with many words '.repeat(8)}` });
    const server = await chatServer(streamed(...calls({ id: 'c1', name: 'lines', args: '{"count":12}' }, { id: 'c2', name: 'calculator', args: '{"expression":"6*7"}' })), streamed(...calls({ id: 'c3', name: 'echo', args })), says('Done.'));
    const { terminal } = await chatWith(server);
    await say(terminal, 'Work.');
    await terminal.shows('Done.');
    await isIdle(terminal);
    await expect(await picture(terminal)).toMatchFileSnapshot('screens/tools.txt');
    await say(terminal, '/show 1');
    await terminal.shows(/line 1\nline 2\n(.*\n)*line 12/);
    await terminal.press('C-o');
    await terminal.shows(/a long text[^]*words\s+>/);
  });

  test('an approval: the whole of the arguments, then yes, no, always', async () => {
    const launch = (id: string): Answer => streamed(...calls({ id, name: 'launch', args: '{"pad":"39A"}' }));
    const server = await chatServer(launch('c1'), launch('c2'), launch('c3'), launch('c4'), says('All done.'));
    const { terminal, cwd } = await chatWith(server);
    await say(terminal, 'Launch.');
    await terminal.shows('[n]o');
    await expect(await picture(terminal)).toMatchFileSnapshot('screens/approval.txt');
    await terminal.type('n');
    await terminal.shows(/✗ .*said no[^]*Run launch\?/);
    await terminal.press('Enter'); // yes is chosen already
    await terminal.shows(/← launched[^]*Run launch\?/);
    await terminal.press('Right', 'Right', 'Enter'); // always: the fourth is not asked
    await terminal.shows('All done.');
    await isIdle(terminal);
    expect(readFileSync(join(cwd, 'notebook.txt'), 'utf8')).toBe('launched\nlaunched\nlaunched\n');
  });

  test('an approval can change the arguments, in the editor or at the prompt', async () => {
    const note = (id: string): Answer => streamed(...calls({ id, name: 'ask_note', args: '{"text":"first"}' }));
    const server = await chatServer(note('c1'), note('c2'), says('Noted.'));
    const editor = join(tempFolder(), 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/first/from the editor/" "$2"\n');
    chmodSync(editor, 0o755);
    const { terminal, cwd } = await chatWith(server, { env: { EDITOR: `${editor} --wait` } });
    await say(terminal, 'Note.');
    await terminal.shows('Run ask_note?');
    await terminal.type('e');
    await terminal.shows(/with\n {2}\{\n {4}"text": "from the editor"[^]*Run ask_note\?/);
    await terminal.press('Escape');
    await terminal.shows('waits for a yes or no');
    await isIdle(terminal);
    expect(readFileSync(join(cwd, 'notebook.txt'), 'utf8')).toBe('from the editor\n');
  });

  test('without an editor the arguments are changed at the prompt; what is no JSON asks again', async () => {
    const server = await chatServer(streamed(...calls({ id: 'c1', name: 'ask_note', args: '{"text":"x"}' })), says('Noted.'));
    const { terminal, cwd } = await chatWith(server);
    await say(terminal, 'Note.');
    await terminal.shows('Run ask_note?');
    await terminal.type('e');
    await terminal.shows('"text": "x"\n  }');
    await terminal.type('!');
    await terminal.press('Enter');
    await terminal.shows(/no JSON object[^]*Run ask_note\?/);
    await terminal.type('e');
    await terminal.press('C-u', 'BSpace', 'C-u', 'BSpace', 'C-u');
    await terminal.type('{"text":"世界"}');
    await terminal.press('Enter');
    await terminal.shows('Noted.');
    expect(readFileSync(join(cwd, 'notebook.txt'), 'utf8')).toBe('世界\n');
  });

  test('the first Ctrl-C interrupts the reply, the next one leaves', async () => {
    const server = await chatServer(streamedUntil(texts('On and on')), says('Again.'));
    const { terminal } = await chatWith(server);
    await say(terminal, 'Talk.');
    await terminal.shows('On and on');
    await terminal.press('C-c');
    await terminal.shows('(interrupted)');
    await isIdle(terminal);
    await expect(await picture(terminal)).toMatchFileSnapshot('screens/interrupted.txt');
    await say(terminal, 'Once more.');
    await terminal.shows('Again.');
    await isIdle(terminal);
    await terminal.press('C-c');
    expect(await terminal.ended()).toBe(0);
    expect(await terminal.screen()).toMatch(/Again\.$/); // nothing of the prompt stays
  });

  test('a tool that does not stop keeps neither the reply nor the program', async () => {
    const server = await chatServer(streamed(...calls({ id: 'c1', name: 'deaf', args: '{}' })));
    const { terminal } = await chatWith(server);
    await say(terminal, 'Wait.');
    await terminal.shows(/. deaf ·/);
    await terminal.press('C-c');
    await terminal.shows('(interrupted)');
    await isIdle(terminal);
    await terminal.press('C-c');
    expect(await terminal.ended()).toBe(0);
  });

  test('what is said while a reply runs is read by it before its next step', async () => {
    const { promise: gate, resolve: goOn } = withResolvers();
    const server = await chatServer(
      async (response) => {
        await streamedUntil(texts('Thinking of it. '), () => gate)(response);
        send(response, ...calls({ id: 'c1', name: 'calculator', args: '{"expression":"1+1"}' }));
        response.end('data: [DONE]\n\n');
      },
      says('I am brief.'),
    );
    const { terminal } = await chatWith(server);
    await say(terminal, 'Tell me.');
    await terminal.shows('Thinking of it.');
    await say(terminal, 'Be brief!');
    await terminal.shows('↳ Be brief!');
    goOn();
    const screen = await terminal.shows('I am brief.');
    expect(screen).toMatch(/> Be brief!\n\nI am brief\./);
    expect(screen).not.toContain('↳');
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('Be brief!');
  });

  test('what an interrupted reply has not read comes back to the prompt, and is not in the conversation', async () => {
    const server = await chatServer(streamedUntil(texts('On and on')), says('Now.'));
    const { terminal, cwd } = await chatWith(server, { args: ['--session', 's'] });
    await say(terminal, 'Talk.');
    await terminal.shows('On and on');
    await say(terminal, 'Stop that!');
    await terminal.shows('↳ Stop that!');
    await terminal.press('C-c');
    await terminal.shows(/\(interrupted\)\n\n> Stop that!\n/);
    expect((await storedMessages(cwd, 's')).map((msg) => msg.getTextContent())).toEqual(['Talk.', 'On and on']);
    await terminal.press('Enter');
    await terminal.shows('Now.');
  });

  test('an agent that is asked by the agent stands indented under its name, and its questions are asked', async () => {
    const server = await chatServer(
      streamed(...calls({ id: 'c1', name: 'researcher', args: '{"message":"Look it up."}' })),
      streamed(...calls({ id: 'k1', name: 'lines', args: '{"count":2}' })),
      streamed(...calls({ id: 'k2', name: 'launch', args: '{"pad":"39A"}' })),
      says('It is **there**, and the answer of a child may be as long as any other, over several lines.'),
      says('Found.'),
    );
    const { terminal } = await chatWith(server, { args: ['--allow', 'researcher'] });
    await say(terminal, 'Find it.');
    await terminal.shows(/\? researcher: launch\n[^]*Run launch\?/); // what the child asks is asked here
    await terminal.type('y');
    await terminal.shows('Found.');
    await isIdle(terminal);
    await expect(await picture(terminal)).toMatchFileSnapshot('screens/children.txt');
  });

  test('one turn in a terminal asks as well, and keeps its answer apart from the question', async () => {
    const server = await chatServer(streamed(...calls({ id: 'c1', name: 'launch', args: '{}' })), says('Up.'));
    const cwd = tempFolder();
    const terminal = await openTerminal(['sh', '-c', `"${process.execPath}" "${CLI_WITH_TOOLS}" -m Launch. > answer.txt; echo "left with $?"`], { cwd, env: server.env });
    await terminal.shows('Run launch {}? [y]es [n]o [a]lways [e]dit');
    await say(terminal, 'yes');
    await terminal.shows('left with 0');
    expect(readFileSync(join(cwd, 'answer.txt'), 'utf8')).toBe('Up.\n');
  });

  test('a terminal that changes its size keeps every line once', async () => {
    const { promise: gate, resolve: goOn } = withResolvers();
    const list = Array.from({ length: 12 }, (_, i) => `- item ${i + 1} with some words behind it so that the line is long`).join('\n');
    const server = await chatServer(async (response) => {
      await streamedUntil(texts(`${list}\n\nA paragraph that is being written while the size of the terminal changes,`), () => gate)(response);
      send(response, ...texts(' and then it ends.'), finish('stop'));
      response.end('data: [DONE]\n\n');
    });
    const { terminal } = await chatWith(server);
    await say(terminal, 'Go.');
    await terminal.shows('terminal changes,');
    await terminal.resize(50, 20);
    await terminal.shows(/while the size\nof the terminal changes,/);
    await terminal.resize(100, 30);
    goOn();
    await terminal.shows('and then it ends.');
    await isIdle(terminal);
    const all = await terminal.everything();
    for (let i = 1; i <= 12; i++) expect(all.split(`item ${i} with`).length, `item ${i}`).toBe(2);
    expect(all.split('and then it ends').length).toBe(2);
    expect(all.match(/^> $|^>$/gm)?.length ?? 0).toBe(1);
  });

  test('10,000 lines of output: all there, in order, each once', { timeout: 60_000 }, async () => {
    const lines = Array.from({ length: 10_000 }, (_, i) => `row ${i + 1}`);
    const fenced = ['```', ...lines.slice(0, 5_000), '```', '', ...lines.slice(5_000)].map((line) => `${line}\n`);
    const pieces = Array.from({ length: Math.ceil(fenced.length / 50) }, (_, i) => fenced.slice(i * 50, i * 50 + 50).join(''));
    const server = await chatServer(says(...pieces));
    const { terminal } = await chatWith(server);
    await say(terminal, 'Everything.');
    await terminal.shows('row 10000');
    await isIdle(terminal);
    const rows = Array.from((await terminal.everything()).matchAll(/^ *(row \d+)$/gm), ([, row]) => row);
    expect(rows).toEqual(lines);
  });

  test('wide characters: editing, several lines, history and pastes', async () => {
    const server = await chatServer(says('你好。'), says('Two.'), says('Three.'));
    const { terminal } = await chatWith(server);
    await terminal.type('你好世👨‍👩‍👧界');
    await terminal.press('Left', 'BSpace', 'M-Enter'); // the family is one letter
    await terminal.type('second');
    await terminal.shows(/> 你好世\n {2}second界/);
    await terminal.press('Enter');
    await terminal.shows('你好。');
    await isIdle(terminal); // while the reply runs it would be read by that
    await terminal.paste(Array.from({ length: 40 }, (_, i) => `pasted ${i}`).join('\n'));
    await terminal.shows('[pasted 1: 40 lines]');
    await terminal.type(' what?');
    await terminal.press('Enter');
    await terminal.shows('Two.');
    await isIdle(terminal);
    await terminal.press('Up', 'Up');
    await terminal.shows(/> 你好世\n {2}second界\n\n*.*gpt/);
    await terminal.press('Down', 'Down');
    await terminal.shows(/>\n.*gpt/);
    await terminal.type('no');
    await terminal.press('C-c');
    await terminal.shows(/>\n.*gpt/); // typed text is dropped, the chat goes on
    const said = server.requests.map(({ body }) => body.messages.at(-1)?.content);
    expect(said[0]).toBe('你好世\nsecond界');
    expect(said[1]).toMatch(/^pasted 0\npasted 1\n[^]*pasted 39 what\?$/);
  });

  test('commands: a branch takes the last words back, files are attached and written', async () => {
    const server = await chatServer(says('One.'), says('Better.'));
    const { terminal, cwd } = await chatWith(server, { args: ['--session', 's'] });
    writeFileSync(join(cwd, 'notes.txt'), 'remember the milk');
    await terminal.type('See @no');
    await terminal.press('Tab');
    await terminal.shows('> See @notes.txt');
    await terminal.press('Enter');
    await terminal.shows(/attached notes\.txt[^]*One\./);
    expect(JSON.stringify(server.requests[0]?.body.messages.at(-1)?.content)).toContain('remember the milk');
    await isIdle(terminal);
    await say(terminal, '/undo');
    await terminal.shows(/Back to before "See @notes\.txt[^]*> See @notes\.txt/);
    await terminal.press('C-u');
    await say(terminal, '/export');
    await terminal.shows(/Written to .*\.md/);
    await say(terminal, '/hlep');
    await terminal.shows('There is no /hlep. Did you mean /help?');
    await say(terminal, '/tools');
    await terminal.shows(/calculator +Evaluates/);
    await say(terminal, '/model offline:demo');
    await terminal.shows('offline:demo answers from now on.');
    await say(terminal, '/model nowhere');
    await terminal.shows(/nowhere[^]*Choose one/);
    await say(terminal, 'what is 6 * 7?');
    await terminal.shows('6 * 7 = 42');
    await isIdle(terminal);
    await say(terminal, '/session s');
    await terminal.shows('session s · 2 messages');
    expect((await storedMessages(cwd, 's')).length).toBe(2);
    await say(terminal, '/exit');
    expect(await terminal.ended()).toBe(0);
  });

  test('the status line counts tokens, and how full the context of the model is', async () => {
    const usage = { choices: [], usage: { prompt_tokens: 1_200, completion_tokens: 90, total_tokens: 1_290, prompt_tokens_details: { cached_tokens: 800 } } };
    const server = await chatServer(streamed(...texts('One.'), finish('stop'), usage), streamed(...texts('Two.'), finish('stop'), usage));
    const { terminal, cwd } = await chatWith(server);
    await say(terminal, 'Count.');
    await terminal.shows(/openai:gpt-5\.5 · 1\.2k in \(800 cached\) · 90 out · context 1\.3k of 1\.1M$/);
    await isIdle(terminal);
    await say(terminal, '/exit');
    expect(await terminal.ended()).toBe(0);
    writeFileSync(join(cwd, 'agentscope.config.json'), JSON.stringify({ prices: { 'openai:gpt-5.5': { input: 10, output: 100, cached: 1 } } }));
    const { terminal: priced } = await chatWith(server, { cwd });
    await say(priced, 'And on?');
    await priced.shows(/context 1\.3k of 1\.1M ·\s+cost\s+0\.014$/); // (400 * 10 + 800 * 1 + 90 * 100) / 1e6
  });

  test('/compact: the model sums up what was said, goes on from that, and the record keeps it; offline and interrupted nothing changes', async () => {
    const server = await chatServer(says('One.'), says('They counted to one.'), says('Two.'), streamedUntil(texts('They ')), says('Three.'));
    const { terminal, cwd } = await chatWith(server, { args: ['--session', 's'] });
    await say(terminal, '/compact');
    await terminal.shows('Nothing was said yet.');
    await say(terminal, 'Count.');
    await terminal.shows('One.');
    await isIdle(terminal);
    await say(terminal, '/compact the number');
    await terminal.shows('2 messages became a summary of 20 characters.');
    const asked = JSON.stringify(server.requests[1]?.body);
    expect(asked).toMatch(/Count\.[^]*One\.[^]*What matters most: the number/);
    await terminal.shows(/gpt-5\.5 · \d+ in · \d+ out · session s|gpt-5\.5 · session s/);
    expect(asked).not.toContain('calculator');
    await say(terminal, 'And on?');
    await terminal.shows('Two.');
    await isIdle(terminal);
    expect(JSON.stringify(server.requests[2]?.body.messages)).toMatch(/They counted to one\.[^]*And on\?/);
    expect(JSON.stringify(server.requests[2]?.body.messages)).not.toContain('Count.');
    await say(terminal, '/compact');
    await terminal.shows(/· [1-9] s/);
    await say(terminal, 'And then?');
    await terminal.shows('↳ And then?');
    await terminal.press('C-c');
    await terminal.shows(/No summary came, and nothing was changed\.[^]*> And then\?\n\nThree\./);
    await isIdle(terminal);
    expect((await storedMessages(cwd, 's')).length).toBe(4);
    await say(terminal, '/model offline:demo');
    await say(terminal, '/compact');
    await terminal.shows('The offline model cannot sum up');
    await say(terminal, '/exit');
    expect(await terminal.ended()).toBe(0);
  });

  test('--plain prints line by line, without colours and without painting over anything', async () => {
    const server = await chatServer(streamed(...calls({ id: 'c1', name: 'launch', args: '{}' })), says('# Up'));
    const { terminal } = await chatWith(server, { args: ['--plain'] });
    await say(terminal, 'Launch.');
    await terminal.shows('[e]dit');
    await say(terminal, 'y');
    await terminal.shows(/# Up\n>/);
    await expect(await picture(terminal, { colors: true })).toMatchFileSnapshot('screens/plain.txt');
    await terminal.press('C-d');
    expect(await terminal.ended()).toBe(0);
  });

  test('in 40 columns nothing is wider than the terminal', async () => {
    const server = await chatServer(says(MARKDOWN));
    const { terminal } = await chatWith(server, { columns: 40, rows: 50 });
    await say(terminal, 'Rivers?');
    await terminal.shows('│ To be quoted.');
    await isIdle(terminal);
    await expect(await picture(terminal)).toMatchFileSnapshot('screens/narrow.txt');
  });

  test('a reader of the output that goes away ends the program quietly', async () => {
    const terminal = await openTerminal(['sh', '-c', `"${process.execPath}" "${CLI}" -m "what is 2 + 2" | true; echo "first: done"; yes "what is 1 + 1" | "${process.execPath}" "${CLI}" | head -n 1; echo "second: done"`], { cwd: tempFolder() });
    expect(await terminal.shows('second: done')).toMatch(/^first: done\n.*\nsecond: done$/);
  });

  test('Ctrl-Z gives the terminal back to the shell, and fg goes on', async () => {
    const cwd = tempFolder();
    const terminal = await openTerminal(['bash', '--norc', '-i'], { cwd, env: { PS1: '$ ' } });
    await terminal.shows('$');
    await say(terminal, `"${process.execPath}" "${CLI}"`);
    await terminal.shows('/help lists');
    await terminal.type('half a');
    await terminal.press('C-z');
    await terminal.shows(/Stopped/);
    await say(terminal, 'fg');
    await terminal.shows('> half a');
    await terminal.type(' word');
    expect(await terminal.shows('> half a word')).toContain('$ fg');
  });
});

async function chatWith(server: ChatServer, { args = [], env = {}, ...size }: Partial<TerminalOptions> & { readonly args?: readonly string[] } = {}): Promise<{ terminal: Terminal; cwd: string }> {
  const cwd = tempFolder();
  const terminal = await openTerminal([process.execPath, CLI_WITH_TOOLS, ...args], { cwd, env: { ...server.env, ...env }, ...size });
  await terminal.shows(/\/help lists[^]*\n> ?/);
  return { terminal, cwd };
}

async function say(terminal: Terminal, text: string): Promise<void> {
  await terminal.type(text);
  await terminal.press('Enter');
}

/** No reply is running: the prompt stands alone above the status. */
async function isIdle(terminal: Terminal): Promise<void> {
  await terminal.shows(/^(?![^]*[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏])[^]*\n>.*\n[^]*(gpt-5\.5|offline:demo)/);
}

async function picture(terminal: Terminal, options?: { colors?: boolean }): Promise<string> {
  return `${await terminal.screen(options)}\n`;
}
