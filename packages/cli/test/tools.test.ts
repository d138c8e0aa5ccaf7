import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { calls, chatServer, says, streamed } from './support/chat-server.ts';
import { runCli, tempFolder } from './support/cli.ts';
import type { RunOptions } from './support/cli.ts';

/** What the tools answer to these calls, one after the other. */
async function results(wanted: readonly (readonly [name: string, input: object])[], { args = [], ...options }: RunOptions & { readonly args?: readonly string[] } = {}): Promise<string[]> {
  const server = await chatServer(...wanted.map(([name, input], i) => streamed(...calls({ id: `c${i}`, name, args: JSON.stringify(input) }))), says('Done.'));
  const { stdout } = await runCli(['--json', '-m', 'Go.', ...args], { ...options, env: { ...server.env, ...options.env } });
  const { content } = JSON.parse(stdout) as { content: readonly { type: string; output?: readonly { text?: string }[] }[] };
  return content.filter(({ type }) => type === 'tool_result').map(({ output = [] }) => output.map(({ text = '' }) => text).join(''));
}

test('files below the working directory are listed and read; nothing leads out', async () => {
  const [cwd, elsewhere] = [tempFolder(), tempFolder()];
  writeFileSync(join(elsewhere, 'secret.txt'), 'TOP SECRET');
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'docs/long.txt'), Array.from({ length: 1_000 }, (_, i) => `line ${i + 1}\n`).join(''));
  writeFileSync(join(cwd, 'picture.png'), Buffer.from([0x89, 0x50, 0, 0xff]));
  writeFileSync(join(cwd, 'empty'), '');
  symlinkSync(join(elsewhere, 'secret.txt'), join(cwd, 'link.txt'));
  symlinkSync(elsewhere, join(cwd, 'link'));
  const [list, first, rest, past, folder, file, missing, binary, empty, ...escapes] = await results(
    [
      ['list_files', {}],
      ['read_file', { path: 'docs/long.txt' }],
      ['read_file', { path: 'docs/long.txt', from: 900 }],
      ['read_file', { path: 'docs/long.txt', from: 2000 }],
      ['read_file', { path: 'docs' }],
      ['list_files', { path: 'docs/long.txt' }],
      ['read_file', { path: 'none' }],
      ['read_file', { path: 'picture.png' }],
      ['read_file', { path: 'empty' }],
      ['read_file', { path: 'link.txt' }],
      ['read_file', { path: 'link/secret.txt' }],
      ['list_files', { path: '..' }],
      ['list_files', { path: 'docs/../../' }],
      ['read_file', { path: '/etc/passwd' }],
    ],
    { cwd, args: ['--max-iters', '30'] },
  );
  expect(list).toBe('docs/\nempty\nlink.txt@\nlink@\npicture.png');
  expect(first).toMatch(/^line 1\n[^]*\nline 400\n… 600 more lines, from line 401 on$/);
  expect(rest).toMatch(/^line 900\n[^]*\nline 1000$/);
  expect([past, folder, file]).toEqual([expect.stringContaining('only 1000 lines'), expect.stringContaining('list_files lists it'), expect.stringContaining('read_file reads it')]);
  expect([missing, binary, empty]).toEqual([expect.stringContaining('There is no "none" here'), expect.stringContaining('is no text'), 'empty is empty.']);
  expect(escapes).toHaveLength(5);
  for (const escape of escapes) expect(escape).toContain('Only files below');
});

test('a file that may hold keys is a question, also behind a link with a harmless name', async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, '.env'), 'KEY=1');
  symlinkSync('.env', join(cwd, 'settings.txt'));
  for (const path of ['.env', 'settings.txt']) {
    const server = await chatServer(streamed(...calls({ id: 'c1', name: 'read_file', args: JSON.stringify({ path }) })));
    expect(await runCli(['-m', 'Go.'], { cwd, env: server.env })).toMatchObject({ code: 3, stderr: 'agentscope: read_file waits for a yes or no of a person.\n' });
  }
  expect(await results([['read_file', { path: '.env' }]], { cwd, args: ['--allow', 'read_file'] })).toEqual(['KEY=1']);
});

test('a page is fetched as its words, asks first, and a rule is for its host alone', async () => {
  const page = '<html><head><title>Rivers &amp; more</title><style>p{}</style></head><body><script>alert("no")</script><h1>The Nile</h1><p>It is&nbsp;long.<br>Very.</p><!-- hidden --></body></html>';
  const { host, origin } = await site((path) => (path === '/data' ? { type: 'application/octet-stream', body: 'x' } : path === '/away' ? { location: 'http://localhost:9/' } : { type: 'text/html', body: page }));
  const env = { AGENTSCOPE_FETCH_HOSTS: host };
  const asked = await chatServer(streamed(...calls({ id: 'c1', name: 'fetch_url', args: JSON.stringify({ url: `${origin}/page` }) })));
  expect(await runCli(['-m', 'Go.', '--allow', `fetch_url(${origin}0/*)`], { env: { ...asked.env, ...env } })).toMatchObject({ code: 3 });
  const wanted = ['/page', '/data', '/away', '/missing'].map((path) => ['fetch_url', { url: `${origin}${path}` }] as const);
  const [words, data, away] = await results(wanted, { env, args: ['--allow', `fetch_url(${origin}/*)`] });
  expect(words).toBe('Rivers & more\n\nThe Nile\n\nIt is long.\nVery.');
  expect(data).toBe('This is application/octet-stream with 1 bytes, no text.');
  expect(away).toContain('localhost:9 is not fetched: only http and https outside of private networks');
});

test('private networks and other schemes are not fetched, even when the tool may run', async () => {
  const { origin } = await site(() => ({ type: 'text/plain', body: 'internal' }));
  const urls = [`${origin}/`, 'http://localhost/', 'http://169.254.169.254/latest/meta-data/', 'http://[::1]/', 'http://0x7f.1/', 'file:///etc/passwd'];
  const answers = await results(urls.map((url) => ['fetch_url', { url }] as const), { args: ['--allow', 'fetch_url'] });
  expect(answers).toHaveLength(urls.length);
  for (const answer of answers) expect(answer).toContain('is not fetched');
});

test('a page made to take long does not', async () => {
  const { host, origin } = await site((path) => ({ type: 'text/html', body: (path === '/a' ? '<script' : path === '/b' ? '<p ' : '<!--').repeat(300_000) }));
  const answers = await results(['/a', '/b', '/c'].map((path) => ['fetch_url', { url: `${origin}${path}` }] as const), { env: { AGENTSCOPE_FETCH_HOSTS: host }, args: ['--allow', 'fetch_url'] });
  expect(answers).toHaveLength(3);
});

test('a note asks first, is written once, and is read again', async () => {
  const cwd = tempFolder();
  expect(await runCli(['-m', 'Add a note: buy milk'], { cwd })).toMatchObject({ code: 3, stderr: expect.stringContaining('add_note waits') });
  expect(existsSync(join(cwd, '.agentscope'))).toBe(false);
  expect(await runCli(['-m', 'Add a note: buy milk', '--allow', 'add_note'], { cwd })).toMatchObject({ code: 0, stdout: expect.stringContaining('Noted: buy milk') });
  writeFileSync(join(cwd, '.agentscope/notes.jsonl'), `${readFileSync(join(cwd, '.agentscope/notes.jsonl'), 'utf8')}{"torn`);
  expect((await runCli(['-m', 'list my notes'], { cwd })).stdout).toMatch(/- buy milk \(\d{4}-\d\d-\d\d\)\n$/);
});

test('the offline model uses every tool', async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, 'README.md'), 'hello there');
  const said = async (message: string): Promise<string> => (await runCli(['-m', message, '--allow', '*'], { cwd })).stdout;
  expect(await said('what is 2 ^ 10?')).toContain('1024');
  expect(await said('what time is it in Tokyo?')).toContain('Asia/Tokyo');
  expect(await said('list the files')).toContain('README.md');
  expect(await said('read README.md')).toContain('hello there');
  expect(await said('fetch http://127.0.0.1:9/')).toContain('is not fetched');
  expect(await said('note: buy milk')).toContain('Noted: buy milk');
  expect(await said('what do my notes say?')).toContain('buy milk');
});

interface Page {
  readonly type?: string;
  readonly body?: string;
  readonly location?: string;
}

async function site(answer: (path: string) => Page): Promise<{ host: string; origin: string }> {
  const server = createServer(({ url = '/' }, response) => {
    const { type = 'text/plain', body = '', location } = answer(url);
    response.writeHead(location === undefined ? 200 : 302, { 'content-type': type, ...(location === undefined ? {} : { location }) }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, origin: `http://${host}` };
}
