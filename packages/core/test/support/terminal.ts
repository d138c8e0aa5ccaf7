// A real terminal for tests: tmux holds the screen. Where there is no tmux the tests say so and are skipped.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

/** Why there are no terminal tests here; undefined where there are. */
export const noTerminal: string | undefined = whyNoTerminal();
if (noTerminal !== undefined) process.stderr.write(`Terminal tests are skipped: ${noTerminal}\n`);

export interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default 80. */
  readonly columns?: number;
  /** Default 24. */
  readonly rows?: number;
}

export interface Terminal {
  /** What is seen, without spaces and empty lines at the end. `colors`: with the escape sequences of its colours. */
  screen(options?: { colors?: boolean }): Promise<string>;
  /** With all that was scrolled away; lines the terminal wrapped are joined. */
  everything(): Promise<string>;
  /** Typed letter by letter, without Enter. */
  type(text: string): Promise<void>;
  /** Keys by tmux's names: `Enter`, `C-c`, `Up`, `Escape`, `M-Enter`. */
  press(...keys: readonly string[]): Promise<void>;
  /** As a terminal pastes: marked, where the program asked for marks. */
  paste(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** The screen once it holds the text. @throws with the screen when it does not come */
  shows(text: string | RegExp): Promise<string>;
  /** The exit code, once the program has ended. */
  ended(): Promise<number>;
}

const CONFIG = `set -g status off
set -g remain-on-exit on
set -g remain-on-exit-format ''
set -g history-limit 50000
set -g default-terminal tmux-256color
set -s escape-time 0
`;
/** Longer than anything takes on a busy machine. */
const PATIENCE_MS = 20_000;

/** Starts a program in a terminal of its own, which is gone when the test is. */
export async function openTerminal(command: readonly string[], { cwd, env = {}, columns = 80, rows = 24 }: TerminalOptions): Promise<Terminal> {
  const folder = mkdtempSync(join(tmpdir(), 'agentscope-tmux-'));
  writeFileSync(join(folder, 'tmux.conf'), CONFIG);
  const run = promisify(execFile);
  const own = { TMUX_TMPDIR: folder, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' };
  const tmux = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run('tmux', ['-u', '-L', 'test', '-f', join(folder, 'tmux.conf'), ...args], { env: { ...plainEnvironment(), ...env, ...own }, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  };
  onTestFinished(async () => {
    await tmux('kill-server').catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  });
  // The exit code through a file: tmux forgets it now and then.
  const exitFile = join(folder, 'exit');
  await tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), '-c', cwd, 'sh', '-c', 'trap : INT; "$@"; echo $? > "$0"', exitFile, ...command);
  const screen: Terminal['screen'] = async ({ colors = false } = {}) => trimmed(await tmux('capture-pane', '-p', ...(colors ? ['-e'] : [])));
  return {
    screen,
    everything: async () => trimmed(await tmux('capture-pane', '-p', '-J', '-S', '-')),
    type: async (text) => void (await tmux('send-keys', '-l', text)),
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    async paste(text) {
      writeFileSync(join(folder, 'paste'), text);
      await tmux('load-buffer', join(folder, 'paste'));
      await tmux('paste-buffer', '-p');
    },
    resize: async (width, height) => void (await tmux('resize-window', '-x', String(width), '-y', String(height))),
    async shows(text) {
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        const shown = await screen();
        if (typeof text === 'string' ? shown.includes(text) : text.test(shown)) return shown;
        if (performance.now() > deadline) throw new Error(`The terminal never showed ${String(text)}:\n${shown}`);
        await sleep(30);
      }
    },
    async ended() {
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        const code = readOrNothing(exitFile);
        if (code.endsWith('\n')) return Number(code);
        if (performance.now() > deadline) throw new Error(`The program has not ended:\n${await screen()}`);
        await sleep(30);
      }
    },
  };
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function trimmed(screen: string): string {
  return screen.split('\n').map((line) => line.trimEnd()).join('\n').trimEnd();
}

/** What the environment says about models, colours and other terminals is left out. */
function plainEnvironment(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(OPENAI|GEMINI|GOOGLE|ANTHROPIC|OLLAMA|[A-Z]+_API_KEY$|AGENTSCOPE|NO_COLOR|FORCE_COLOR|COLORFGBG|CI$|NODE_OPTIONS|VITEST|TMUX|EDITOR|VISUAL)/.test(name));
  return { ...Object.fromEntries(kept), OLLAMA_HOST: '127.0.0.1:9' }; // nobody listens there, whatever runs on this machine
}

function whyNoTerminal(): string | undefined {
  try {
    const version = /(\d+)\.(\d+)/.exec(execFileSync('tmux', ['-V'], { encoding: 'utf8' }));
    const [major, minor] = [Number(version?.[1]), Number(version?.[2])];
    return major > 3 || (major === 3 && minor >= 3) ? undefined : 'tmux is older than 3.3';
  } catch {
    return 'there is no tmux';
  }
}
