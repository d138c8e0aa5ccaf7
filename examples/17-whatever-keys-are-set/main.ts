// Runs the program against servers of its own that play each provider, with the variables each provider reads, and checks every line.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ModelRegistry } from '@agentscope/core';
import { playProviders } from './servers.ts';

const server = await playProviders();
const env: Record<string, string> = { PATH: process.env['PATH'] ?? '' };
for (const { keyVariables, urlVariable } of ModelRegistry.providers()) {
  const [key] = keyVariables;
  if (key !== undefined) env[key] = 'a-key-for-the-test';
  if (urlVariable !== undefined) env[urlVariable] = server.url;
}
const program = fileURLToPath(new URL('ask.js', import.meta.url));
const { stdout } = await promisify(execFile)(process.execPath, [program], { env, encoding: 'utf8' });
server.close();
console.log(stdout.trimEnd());

const lines = stdout.trimEnd().split('\n');
const providers = ModelRegistry.providers().filter(({ id }) => !id.startsWith('offline'));
assert.deepEqual(lines.map((line) => line.split(' ', 1)[0]), providers.map(({ id }) => id), 'every provider has its line');
for (const line of lines) assert.match(line, /clock {2}It is 12:34\. {2}\(\d+ in, \d+ out\)$/);
