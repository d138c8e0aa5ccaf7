import { open } from 'node:fs/promises';
import { hasCode } from './fs-error.ts';

/** Waits until the disk has the names in a folder. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'EACCES', 'EINVAL', 'EISDIR')) throw error; // Windows cannot sync a folder
  }
}
