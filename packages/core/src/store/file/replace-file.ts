import { link, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from '../../internal/index.ts';
import { hasCode } from './fs-error.ts';
import { syncFolder } from './sync-folder.ts';

export interface ReplaceOptions {
  /** The bytes are on the disk before the name leads to them. */
  readonly fsync: boolean;
}

/** All or nothing, also for somebody who reads at the same time. */
export async function replaceFile(path: string, text: string, options: ReplaceOptions): Promise<void> {
  await withDraft(path, { text, ...options }, (draft) => rename(draft, path));
}

/** The whole file or none, and only where there is none of this name; false where there is. */
export async function createFile(path: string, text: string, options: ReplaceOptions): Promise<boolean> {
  try {
    await withDraft(path, { text, ...options }, async (draft) => {
      await link(draft, path);
      await unlink(draft);
    });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function withDraft(path: string, { text, fsync }: ReplaceOptions & { readonly text: string }, place: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${newId()}`;
  try {
    const handle = await open(draft, 'wx');
    try {
      await handle.writeFile(text);
      if (fsync) await handle.datasync();
    } finally {
      await handle.close();
    }
    await place(draft);
    if (fsync) await syncFolder(dirname(path));
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  }
}
