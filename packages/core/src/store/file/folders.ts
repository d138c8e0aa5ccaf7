import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentScopeError } from '../../error/index.ts';
import { fullKey } from '../../session/index.ts';
import type { FullSessionKey, SessionKey } from '../../session/index.ts';
import { hasCode } from './fs-error.ts';
import { decodeName, encodeName, isHashedName } from './names.ts';
import { syncFolder } from './sync-folder.ts';

/** Folder of the sessions without a user. */
const NOBODY = 'nobody';
/** Keeps the id of a folder whose name is a hash. */
const ID_FILE = 'id.json';

/** Where sessions lie: `<root>/<user>/<session>`, both encoded. Never follows a symbolic link below the root. */
export class Folders {
  readonly root: string;
  readonly #fsync: boolean;

  /** `fsync`: a folder that was made is on the disk before it is used. */
  constructor(root: string, { fsync = false }: { fsync?: boolean } = {}) {
    this.root = root;
    this.#fsync = fsync;
  }

  path(key: SessionKey): string {
    const { userId, sessionId } = fullKey(key);
    return join(this.root, userName(userId), encodeName('s', sessionId));
  }

  /** The folder of a session, made where it is missing. */
  async ensure(key: SessionKey): Promise<string> {
    const { userId, sessionId } = fullKey(key);
    const path = this.path(key);
    if ((await this.existing(key)) !== undefined) return path;
    await mkdir(path, { recursive: true });
    if (userId !== undefined) await keepId(join(this.root, userName(userId)), 'u', userId);
    await keepId(path, 's', sessionId);
    if (this.#fsync) for (const made of [path, join(path, '..'), this.root, join(this.root, '..')]) await syncFolder(made);
    return path;
  }

  /** The folder of a session, if it has one. */
  async existing(key: SessionKey): Promise<string | undefined> {
    const path = this.path(key);
    return (await isFolder(join(path, '..'))) && (await isFolder(path)) ? path : undefined;
  }

  /** In the order of the folders' names, from behind `after` on. */
  async *all({ userId, after }: { userId?: string | undefined; after?: FullSessionKey | undefined } = {}): AsyncGenerator<{ readonly key: FullSessionKey; readonly path: string }> {
    const [afterUser, afterSession] = after === undefined ? ['', ''] : [userName(after.userId), encodeName('s', after.sessionId)];
    for (const user of await subfolders(this.root)) {
      if (user < afterUser || (userId !== undefined && user !== userName(userId))) continue;
      const owner = user === NOBODY ? { id: undefined } : await idOf(this.root, 'u', user);
      if (owner === undefined) continue;
      const folder = join(this.root, user);
      for (const session of await subfolders(folder)) {
        if (user === afterUser && session <= afterSession) continue;
        const found = await idOf(folder, 's', session);
        if (found?.id !== undefined) yield { key: { userId: owner.id, sessionId: found.id }, path: join(folder, session) };
      }
    }
  }
}

function userName(userId: string | undefined): string {
  return userId === undefined ? NOBODY : encodeName('u', userId);
}

async function keepId(folder: string, prefix: string, id: string): Promise<void> {
  if (decodeName(prefix, encodeName(prefix, id)) === undefined) await writeFile(join(folder, ID_FILE), JSON.stringify(id));
}

async function idOf(parent: string, prefix: string, name: string): Promise<{ readonly id: string | undefined } | undefined> {
  const id = decodeName(prefix, name);
  if (id !== undefined) return { id };
  if (!isHashedName(prefix, name)) return undefined;
  try {
    const kept: unknown = JSON.parse(await readFile(join(parent, name, ID_FILE), 'utf8'));
    return typeof kept === 'string' && encodeName(prefix, kept) === name ? { id: kept } : undefined;
  } catch {
    return undefined;
  }
}

/** @throws AgentScopeError `session/unavailable` for a symbolic link: it could lead out of the store. */
async function isFolder(path: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    if (found.isSymbolicLink()) {
      throw new AgentScopeError('session/unavailable', 'A folder of the session store is a symbolic link, which the store does not follow. Replace it by the folder itself.', { details: { store: 'file' } });
    }
    return found.isDirectory();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

async function subfolders(path: string): Promise<readonly string[]> {
  try {
    const found = await readdir(path, { withFileTypes: true });
    return found.filter((entry) => entry.isDirectory()).map(({ name }) => name).sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
