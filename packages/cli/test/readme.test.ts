import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CLI, plainEnv, tempFolder } from './support/cli.ts';

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

test('S4-075 the commands in the README print what stands below them', () => {
  const [, block = ''] = /^```console\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  const cwd = tempFolder();
  const steps = block.split(/^\$ /m).slice(1);
  expect(steps.length).toBeGreaterThan(2);
  for (const step of steps) {
    const [command = '', ...shown] = step.trimEnd().split('\n');
    const { stdout, stderr } = spawnSync('sh', ['-c', `exec "$NODE" "$CLI"${command.replace('npm start --', '')}`], { cwd, env: { ...plainEnv(), NODE: process.execPath, CLI }, encoding: 'utf8' });
    expect(anyTime(stdout + stderr), command).toBe(anyTime(`${shown.join('\n')}\n`));
  }
});

/** Dates and times go on. */
function anyTime(text: string): string {
  return text.replace(/\w+day, \d+ \w+ \d{4}, \d\d:\d\d:\d\d/g, '<now>');
}
