import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The person's own editor; undefined where none is named. */
export function editorOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env['VISUAL']?.trim() || env['EDITOR']?.trim() || undefined;
}

/**
 * Lets the person change a text in their editor, which has the terminal meanwhile. Undefined: the editor failed, or said so by its exit
 * code; nothing was changed then.
 */
export async function editText(text: string, { editor, name }: { readonly editor: string; readonly name: string }): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'agentscope-edit-'));
  const file = join(folder, name);
  try {
    await writeFile(file, text, { mode: 0o600 });
    const code = await new Promise<number | null>((resolve) => {
      // Through the shell: the variable may hold arguments, as in `code --wait`.
      const child = process.platform === 'win32' ? spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true }) : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
      child.on('error', () => resolve(null)).on('close', resolve);
    });
    return code === 0 ? await readFile(file, 'utf8') : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An object of JSON; undefined for anything else. */
export function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
