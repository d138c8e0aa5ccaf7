import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { calls, chatServer, says, streamed } from './support/chat-server.ts';
import { runCli, tempFolder } from './support/cli.ts';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

function folderWith(files: Readonly<Record<string, string>>): string {
  const cwd = tempFolder();
  symlinkSync(modules, join(cwd, 'node_modules'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return cwd;
}

interface Printed {
  readonly file: string | null;
  readonly [name: string]: { readonly value: unknown; readonly from: string } | string | null;
}

async function settings(cwd: string, { args = [], env = {} }: { args?: readonly string[]; env?: Readonly<Record<string, string>> } = {}): Promise<Printed> {
  const { code, stdout, stderr } = await runCli(['config', '--json', ...args], { cwd, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Printed;
}

const JSON_CONFIG = `{
  "model": "offline:demo",
  "store": "kept",
  "mode": "explore",
  "agents": {
    "writer": {
      "sysPrompt": "You write.",
      "maxIters": 3
    }
  }
}
`;

test('what holds is printed with who says so: flag over environment over configuration over built in', async () => {
  const cwd = folderWith({ 'agentscope.config.json': JSON_CONFIG });
  expect(await settings(cwd)).toMatchObject({
    file: 'agentscope.config.json',
    agent: { value: 'Friday', from: 'built in' },
    model: { value: 'offline:demo', from: 'agentscope.config.json' },
    store: { value: 'kept', from: 'agentscope.config.json' },
    mode: { value: 'explore', from: 'agentscope.config.json' },
    maxIters: { value: 10, from: 'built in' },
  });
  expect(await settings(cwd, { args: ['--agent', 'writer'], env: { AGENTSCOPE_MODEL: 'openai:m', AGENTSCOPE_STORE: 'elsewhere', AGENTSCOPE_MODE: ' ', AGENTSCOPE_MAX_ITERS: '' } })).toMatchObject({
    agent: { value: 'writer', from: '--agent' },
    model: { value: 'openai:m', from: 'AGENTSCOPE_MODEL' },
    store: { value: 'elsewhere', from: 'AGENTSCOPE_STORE' },
    mode: { value: 'explore', from: 'agentscope.config.json' },
    maxIters: { value: 3, from: 'agentscope.config.json, agents.writer' },
    sysPrompt: { value: 'You write.', from: 'agentscope.config.json, agents.writer' },
  });
  expect(await runCli(['config'], { cwd: tempFolder() })).toMatchObject({ code: 0, stdout: expect.stringMatching(/^There is no agentscope\.config[^]*model +offline:demo +\(built in\)\n/) });
});

test('a configuration is what the agent, its tools and the sessions are made of', async () => {
  const cwd = folderWith({
    'agentscope.config.mjs': `import { defineTool } from '@agentscope/core';
import { defineConfig } from '@agentscope/cli';
const dice = defineTool({ name: 'dice', description: 'Throws a die.', readOnly: true, execute: () => 'It shows 4.' });
export default defineConfig({ store: 'kept', agent: 'gambler', agents: { gambler: { tools: [dice], sysPrompt: 'You gamble.' } } });
`,
  });
  const server = await chatServer(streamed(...calls({ id: 'c1', name: 'dice', args: '{}' })), says('Four.'));
  expect(await runCli(['--session', 's', '-m', 'Throw.'], { cwd, env: server.env })).toEqual({ code: 0, signal: null, stdout: 'Four.\n', stderr: '' });
  expect(server.requests[0]?.body.messages[0]).toMatchObject({ role: 'system', content: 'You gamble.' });
  expect(server.requests[0]?.body.tools).toMatchObject([{ function: { name: 'dice' } }]);
  expect((await runCli(['sessions', 'show', 's'], { cwd })).stdout).toBe('> Throw.\n→ dice {}\n← It shows 4.\nFour.\n');
  expect((await runCli(['replay', 's', '--speed', '0'], { cwd })).stdout).toMatch(/Four\./);
  expect((await runCli(['sessions', 'list', '--store', 'other'], { cwd })).stderr).toMatch(/no sessions in other/);
});

test.each([
  ['agentscope.config.json', '{\n  "model": "offline:demo",\n  "sysPromt": 1\n}', /agentscope\.config\.json:3: sysPromt is no key of it\. Did you mean sysPrompt\? /],
  ['agentscope.config.json', '{\n  "mode": "always"\n}', /agentscope\.config\.json:2: mode must be one of default, /],
  ['agentscope.config.json', '{\n  "model": "a:b",\n  "agents": {\n    "x": { "model": "c:d",\n      "maxIters": 0 }\n  }\n}', /agentscope\.config\.json:5: agents\.x\.maxIters must be a whole number/],
  ['agentscope.config.json', '{\n  "model": "a:b",\n  "store" "x"\n}', /agentscope\.config\.json:3: this is no JSON/],
  ['agentscope.config.json', '{\n  "model":\n', /agentscope\.config\.json:3: this is no JSON/],
  ['agentscope.config.json', '{\n  "prices": { "openai:gpt-5.5": { "input": "1" } }\n}', /agentscope\.config\.json:2: prices must be an object of prices by model/],
  ['agentscope.config.json', '[]', /agentscope\.config\.json: the configuration must be an object/],
  ['agentscope.config.json', '{ "tools": ["calculator"] }', /agentscope\.config\.json:1: tools must be a list of tools/],
  ['agentscope.config.mjs', 'export default {\n  allow: "calculator",\n};', /agentscope\.config\.mjs:2: allow must be a list/],
  ['agentscope.config.mjs', 'export default {\n  model: offline:demo\n};', /agentscope\.config\.mjs:2: it cannot be loaded/],
  ['agentscope.config.mjs', '\nthrow new Error("not today");', /agentscope\.config\.mjs:2: it cannot be loaded \(not today\)/],
  ['agentscope.config.mjs', 'export const model = 1;', /needs a default export/],
] as const)('a broken %s names file, line and key: %j', async (name, text, reason) => {
  const cwd = folderWith({ [name]: text });
  for (const args of [['config'], ['-m', 'x'], ['sessions', 'list']]) expect(await runCli(args, { cwd })).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(reason) });
});

test('a configuration in TypeScript, where Node reads that; elsewhere it says what to do', async () => {
  const cwd = folderWith({ 'agentscope.config.ts': "import type { CliConfig } from '@agentscope/cli';\nexport default { model: 'offline:demo' as string, maxIters: 4 } satisfies CliConfig;\n" });
  if (process.features.typescript) expect(await settings(cwd)).toMatchObject({ file: 'agentscope.config.ts', maxIters: { value: 4 } });
  else expect(await runCli(['config'], { cwd })).toMatchObject({ code: 2, stderr: expect.stringMatching(/agentscope\.config\.ts needs Node 22\.18 or newer, and this is v[\d.]+\. Write agentscope\.config\.mjs/) });
});

test('two configurations, a missing one, an unknown agent and nonsense in the environment are refused', async () => {
  const cwd = folderWith({ 'agentscope.config.json': JSON_CONFIG, 'agentscope.config.mjs': 'export default {};' });
  const said = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    const { code, stderr } = await runCli(['config', ...args], { cwd, env });
    return { code, stderr };
  };
  expect(await said([])).toEqual({ code: 2, stderr: expect.stringMatching(/agentscope\.config\.mjs and agentscope\.config\.json.*--config/) as string });
  expect(await said(['--config', 'nowhere.json'])).toEqual({ code: 2, stderr: expect.stringMatching(/nowhere\.json cannot be read/) as string });
  const chosen = ['--config', 'agentscope.config.json'];
  expect(await said([...chosen, '--agent', 'wirter'])).toEqual({ code: 2, stderr: expect.stringMatching(/no agent wirter.*Did you mean writer\?/) as string });
  expect(await said(chosen, { AGENTSCOPE_MODE: 'always' })).toEqual({ code: 2, stderr: expect.stringMatching(/AGENTSCOPE_MODE holds always/) as string });
  expect(await said(chosen, { AGENTSCOPE_MAX_ITERS: '-1' })).toEqual({ code: 2, stderr: expect.stringMatching(/AGENTSCOPE_MAX_ITERS takes/) as string });
});

test('the folder of the sessions starts where the configuration is', async () => {
  const cwd = folderWith({});
  mkdirSync(join(cwd, 'conf'));
  writeFileSync(join(cwd, 'conf/my.json'), '{ "store": "kept" }');
  expect(await settings(cwd, { args: ['--config', 'conf/my.json'] })).toMatchObject({ store: { value: 'conf/kept', from: 'conf/my.json' } });
});
