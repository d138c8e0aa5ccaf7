import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { chatServer, json, says } from './support/chat-server.ts';
import { plainEnv, runCli, tempFolder } from './support/cli.ts';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

describe('init', () => {
  test('writes a project that passes its own test and answers at once', { timeout: 120_000 }, async () => {
    const cwd = tempFolder();
    const made = await runCli(['init', 'My Agent'], { cwd });
    expect(made).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/ {2}src\/agent\.ts\n[^]*Next: cd My Agent && npm install && npm test && npm start\n$/) });
    const project = join(cwd, 'My Agent');
    expect(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))).toMatchObject({ name: 'my-agent' });
    symlinkSync(modules, join(project, 'node_modules')); // what npm install would bring
    const tested = npm(project, ['test']);
    expect(tested, tested.output).toMatchObject({ code: 0, output: expect.stringMatching(/pass 2\n[^]*fail 0\n/) });
    const started = npm(project, ['start', '--silent', '--', 'What is the weather in Oslo?']);
    expect(started).toMatchObject({ code: 0, output: expect.stringMatching(/Oslo: sunny/) });
    expect((await runCli(['sessions', 'show', 'main'], { cwd: project })).stdout).toMatch(/→ weather \{"city":"Oslo"\}/);
  });

  test('writes over nothing: where one of its files is there, nothing is written', async () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, 'src'));
    writeFileSync(join(cwd, 'src/agent.ts'), 'mine');
    expect(await runCli(['init'], { cwd })).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/has src\/agent\.ts already, so nothing was written/) });
    expect([readdirSync(cwd), readFileSync(join(cwd, 'src/agent.ts'), 'utf8')]).toEqual([['src'], 'mine']);
    expect(await runCli(['init', 'a', 'b'], { cwd })).toMatchObject({ code: 2, stderr: expect.stringMatching(/takes one folder/) });
  });

  function npm(cwd: string, args: readonly string[]): { code: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd, env: plainEnv(), encoding: 'utf8' });
    return { code: status, output: stdout + stderr };
  }
});

describe('doctor', () => {
  test('offline all is well, and nothing is made', async () => {
    const cwd = tempFolder();
    const { code, stdout } = await runCli(['doctor'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✓ Node +\d+\.\d+\.\d+\n· terminal +none here.*\n✓ config +none here.*\n· keys +none \(OPENAI_API_KEY, .*\n✓ model +offline:demo answers \(built in\)\n✓ sessions +\.agentscope\/sessions \(built in\), to be made\n$/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('a model that answers, one that refuses the key, one that is not there; keys are named and never shown', async () => {
    const server = await chatServer(says('ok'), json('{"error":{"message":"Incorrect API key provided: sk-test-0123456789.","code":"invalid_api_key"}}', 401));
    const findings = async (env: Readonly<Record<string, string>>): Promise<{ code: number | null; stdout: string; model: unknown }> => {
      const { code, stdout } = await runCli(['doctor', '--json'], { env });
      return { code, stdout, model: (JSON.parse(stdout) as { about: string }[]).find(({ about }) => about === 'model') };
    };
    const well = await findings(server.env);
    expect(well).toMatchObject({ code: 0, model: { state: 'ok', words: 'openai:gpt-5.5 answers (OPENAI_API_KEY)' } });
    expect(well.stdout).toContain('OPENAI_API_KEY');
    expect(well.stdout).not.toContain('0123456789');
    expect(await findings(server.env)).toMatchObject({ code: 1, model: { state: 'bad', words: expect.stringMatching(/key in OPENAI_API_KEY was refused/) as string } });
    expect(await findings({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' })).toMatchObject({ code: 1, model: { state: 'bad', words: expect.stringMatching(/127\.0\.0\.1:9 could not be reached/) as string } });
    expect(await findings({ AGENTSCOPE_MODEL: 'nowhere' })).toMatchObject({ code: 1, model: { state: 'bad' } });
  });

  test('a broken configuration and a folder that cannot be written are named', async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, 'agentscope.config.json'), '{ "store": "locked/deep/kept" }');
    mkdirSync(join(cwd, 'locked'));
    writeFileSync(join(cwd, 'locked/deep'), 'a file where a folder should be');
    chmodSync(join(cwd, 'locked'), 0o755);
    expect(await runCli(['doctor'], { cwd })).toMatchObject({ code: 1, stdout: expect.stringMatching(/✗ sessions +locked\/deep\/kept \(agentscope\.config\.json\): locked\/deep cannot be written/) });
    writeFileSync(join(cwd, 'agentscope.config.json'), '{ "model": 7 }');
    expect(await runCli(['doctor'], { cwd })).toMatchObject({ code: 1, stdout: expect.stringMatching(/✗ config +agentscope\.config\.json:1: model must be a text/) });
    expect(existsSync(join(cwd, '.agentscope'))).toBe(false);
  });
});
