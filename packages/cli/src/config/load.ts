import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../flags.ts';
import { broken, checkConfig } from './check.ts';
import type { CliConfig } from './define.ts';

export interface Loaded {
  readonly config: CliConfig;
  /** As a person names it. */
  readonly file: string;
  /** What its paths start from. */
  readonly folder: string;
}

const NAMES: readonly string[] = ['agentscope.config.ts', 'agentscope.config.mjs', 'agentscope.config.json'];

/**
 * The configuration of a folder, or the given file; undefined where there is none.
 *
 * @throws UsageError naming file, line and key; where there are two; where the given file is not there
 */
export async function loadConfig(cwd: string, wanted: string | undefined): Promise<Loaded | undefined> {
  const file = wanted ?? onlyOne(NAMES.filter((name) => existsSync(join(cwd, name))));
  if (file === undefined) return undefined;
  const path = resolve(cwd, file);
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError(`The configuration ${file} cannot be read: ${error.message}`);
  });
  const value = file.endsWith('.json') ? parsed(text, file) : await imported(path, file);
  return { config: checkConfig(value, { file, text }), file, folder: dirname(path) };
}

function onlyOne(found: readonly string[]): string | undefined {
  if (found.length > 1) throw new UsageError(`There are ${found.join(' and ')}: which one counts? Take one away, or choose with --config <file>.`);
  return found[0];
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const { message } = error as Error;
    const [, line = at(text, message)] = /line (\d+)/.exec(message) ?? [];
    throw new UsageError(`${file}${line === undefined ? '' : `:${line}`}: this is no JSON (${message.replace(/ \(line \d+ column \d+\)$/, '')}).`);
  }
}

/** Some versions of Node tell the position, some only that the text ended. */
function at(text: string, message: string): string | undefined {
  const [, position = /end of JSON/.test(message) ? text.length : undefined] = /position (\d+)/.exec(message) ?? [];
  return position === undefined ? undefined : String(text.slice(0, Number(position)).split('\n').length);
}

async function imported(path: string, file: string): Promise<unknown> {
  if (file.endsWith('.ts') && !process.features.typescript) {
    throw new UsageError(`${file} needs Node 22.18 or newer, and this is ${process.version}. Write agentscope.config.mjs or agentscope.config.json instead.`);
  }
  try {
    const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    if (module.default !== undefined) return module.default;
  } catch (error) {
    throw new UsageError(`${file}${lineIn(error, path)}: it cannot be loaded (${error instanceof Error ? error.message : String(error)}).`);
  }
  throw broken({ file, text: '' }, [], 'it needs a default export: export default defineConfig({ … })');
}

/** The innermost line of the file in the stack. The stack of a syntax error has none: there Node is asked to read the file once more. */
function lineIn(error: unknown, path: string): string {
  const stack = error instanceof SyntaxError ? spawnSync(process.execPath, ['--check', path], { encoding: 'utf8' }).stderr : error instanceof Error ? (error.stack ?? '') : '';
  const from = Math.max(stack.indexOf(path), stack.indexOf(pathToFileURL(path).href));
  const [, line] = (from < 0 ? null : /(?:ts|mjs)(?:\?[^:]*)?:(\d+)/.exec(stack.slice(from))) ?? [];
  return line === undefined ? '' : `:${line}`;
}
