import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { ModelRegistry as Registry, Msg } from '@agentscope/core';
import type { Environment, Settings } from '../config/settings.ts';
import { explain } from '../messages.ts';

/** What was found about one thing: fine, to be known, or to be mended. */
export interface Finding {
  readonly about: string;
  readonly state: 'ok' | 'note' | 'bad';
  readonly words: string;
}

const LEAST_NODE = [20, 19] as const;

export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isFine = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  return { about: 'Node', state: isFine ? 'ok' : 'bad', words: isFine ? version : `${version}: ${LEAST_NODE.join('.')} or newer is needed` };
}

export function terminalFinding({ env, isTerminal, columns, rows, depth }: { readonly env: Environment; readonly isTerminal: boolean; readonly columns: number; readonly rows: number; readonly depth: number }): Finding {
  if (!isTerminal) return { about: 'terminal', state: 'note', words: 'none here: the chat goes line by line' };
  const isUnicode = /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '') || process.platform === 'darwin';
  const colors = env['NO_COLOR'] ? 'no colours (NO_COLOR)' : depth === 1 ? 'no colours' : `${2 ** depth} colours`;
  const words = `${env['TERM'] ?? 'unknown'}, ${columns} × ${rows}, ${colors}${isUnicode ? '' : '; LANG names no UTF-8, so signs beyond ASCII may not be seen'}`;
  return { about: 'terminal', state: isUnicode && columns >= 40 && env['TERM'] !== 'dumb' ? 'ok' : 'note', words };
}

export function configFinding({ file, agent }: Settings): Finding {
  return { about: 'config', state: 'ok', words: file === undefined ? 'none here; what is built in holds' : `${file}, agent ${agent.value}` };
}

/** Which keys are there; never what they are. */
export function keysFinding(registry: typeof Registry, env: Environment): Finding {
  const variables = [...new Set(registry.providers().flatMap(({ keyVariables }) => keyVariables))];
  const found = variables.filter((name) => env[name]?.trim());
  return { about: 'keys', state: found.length > 0 ? 'ok' : 'note', words: found.length > 0 ? found.join(', ') : `none (${variables.join(', ')})` };
}

const PATIENCE_MS = 20_000;

/** Asks the model for one word: the only way to know that address, key and name are right. */
export async function modelFinding(registry: typeof Registry, { model: { value: id, from } }: Settings, question: Msg): Promise<Finding> {
  const about = 'model';
  try {
    const model = await registry.resolve(id);
    await model.call({ messages: [question], options: { maxTokens: 16 } }, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return { about, state: 'ok', words: `${id} answers (${from})` };
  } catch (error) {
    return { about, state: 'bad', words: `${id} (${from}): ${error instanceof Error && error.name === 'TimeoutError' ? `no answer within ${PATIENCE_MS / 1_000} s` : await explain(error, { model: id })}` };
  }
}

/** Whether sessions can be kept in the folder, without making it. */
export async function storeFinding({ store: { value: folder, from } }: Settings): Promise<Finding> {
  const about = 'sessions';
  const path = resolve(folder);
  const existing = await nearestFolder(path);
  const named = `${folder} (${from})`;
  try {
    await access(existing, constants.W_OK);
    // Only trying tells: a disk may be full, a file system read-only.
    await rm(await mkdtemp(join(existing, '.agentscope-')), { recursive: true });
    return { about, state: 'ok', words: existing === path ? named : `${named}, to be made` };
  } catch (error) {
    return { about, state: 'bad', words: `${named}: ${relative('.', existing) || '.'} cannot be written (${error instanceof Error ? error.message : String(error)})` };
  }
}

async function nearestFolder(path: string): Promise<string> {
  const isThere = await access(path).then(() => true, () => false);
  return isThere || dirname(path) === path ? path : nearestFolder(dirname(path));
}
