import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { COMMAND_NAMES } from '../commands.ts';

/** What Tab adds to a text whose end is a command or `@path`; several: what they have in common, and the choices to show. */
export async function complete(text: string, cwd: string): Promise<{ readonly added: string; readonly choices: readonly string[] }> {
  if (/^\/\w*$/.test(text)) return choose(text, COMMAND_NAMES, ' ');
  const [, path] = /(?:^|[\s(])@([^\s"]*)$/.exec(text) ?? [];
  if (path === undefined) return { added: '', choices: [] };
  const folder = path.endsWith('/') ? path : dirname(`${path}x`);
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true }).catch(() => []);
  const isHiddenWanted = /(^|\/)\.[^/]*$/.test(path);
  const names = entries.filter(({ name }) => isHiddenWanted || !name.startsWith('.')).map((entry) => `${folder === '.' && !path.startsWith('./') ? entry.name : join(folder, entry.name)}${entry.isDirectory() ? '/' : ''}`);
  return choose(path, names.map((name) => (path.startsWith('./') && !name.startsWith('./') ? `./${name}` : name)), '');
}

function choose(typed: string, names: readonly string[], end: string): { readonly added: string; readonly choices: readonly string[] } {
  const fitting = names.filter((name) => name.startsWith(typed));
  const [first = '', ...others] = fitting;
  if (others.length === 0) return { added: first === '' ? '' : first.slice(typed.length) + end, choices: [] };
  let common = first;
  for (const name of others) while (!name.startsWith(common)) common = common.slice(0, -1);
  return { added: common.slice(typed.length), choices: fitting };
}
