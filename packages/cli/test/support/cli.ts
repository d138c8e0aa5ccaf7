import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The built program. */
export const CLI: string = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** The built program with tools for tests beside its own. */
export const CLI_WITH_TOOLS: string = fileURLToPath(new URL('../fixtures/with-tools.mjs', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}
export interface RunOptions {
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What stands on stdin; nothing: it is empty. */
  readonly input?: string;
  /** A file that takes what is printed, instead of this test. */
  readonly stdout?: string;
  readonly stderr?: string;
}
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** Resolves once stdout holds the text. */
  printed(text: string): Promise<void>;
}

/** Starts the program as a child process; what the environment says about models is left out. */
export function startCli(args: readonly string[], { program = CLI, env = {}, cwd = tempFolder(), input = '', ...files }: RunOptions = {}): Running {
  const redirect = Object.entries(files).map(([name, path]) => `${name === 'stdout' ? '1' : '2'}>'${path}'`).join(' ');
  const [command = '', ...rest] = redirect === '' ? [process.execPath] : ['/bin/sh', '-c', `exec "$0" "$@" ${redirect}`, process.execPath];
  const child = spawn(command, [...rest, program, ...args], { cwd, env: { ...plainEnv(), ...env } });
  let stdout = '';
  let stderr = '';
  const readers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const reader of readers) reader();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (stdout.includes(text)) resolve();
      };
      readers.add(look);
      look();
      void ended.then((end) => reject(new Error(`It ended without printing ${JSON.stringify(text)}: ${JSON.stringify(end)}`)));
    });
  return { child, ended, printed };
}

export function runCli(args: readonly string[], options?: RunOptions): Promise<Ended> {
  return startCli(args, options).ended;
}

/** A folder of this test's own. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentscope-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The environment without what it says about models and colours. */
export function plainEnv(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(OPENAI|GEMINI|GOOGLE|ANTHROPIC|OLLAMA|[A-Z]+_API_KEY$|AGENTSCOPE|NO_COLOR|FORCE_COLOR|NODE_OPTIONS|VITEST)/.test(name));
  return { ...Object.fromEntries(kept), OLLAMA_HOST: '127.0.0.1:9' }; // nobody listens there, whatever runs on this machine
}
