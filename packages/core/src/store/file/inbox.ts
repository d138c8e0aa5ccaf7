import { mkdir, readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseObject } from '../../internal/index.ts';
import { REMEMBERED_IDS } from '../../session/index.ts';
import type { InboxItem } from '../../session/index.ts';
import { hasCode } from './fs-error.ts';
import { encodeName } from './names.ts';
import { createFile, replaceFile } from './replace-file.ts';
import type { ReplaceOptions } from './replace-file.ts';

/**
 * The inbox of a session is a folder in its folder. An item is a file with the name of its id, created exclusively, so that of two
 * processes that post the same id one does; `<name>.taken` beside it says that the item was acknowledged, and its file is emptied.
 */
const INBOX = 'inbox';
const TAKEN = '.taken';
const ITEM = '.item';

/** Ids remembered beyond the promise before the oldest are forgotten together. */
const SLACK = 100;

interface Kept {
  readonly order: number;
  readonly item: InboxItem;
}

/** False when an item of this id was posted before. */
export async function postInto(session: string, item: InboxItem, options: ReplaceOptions): Promise<boolean> {
  const folder = join(session, INBOX);
  await mkdir(folder, { recursive: true });
  const name = nameOf(item.id);
  const names = await namesIn(folder);
  if (names.has(name + ITEM)) return false;
  const order = Math.max(0, ...(await waiting(folder, names)).map((kept) => kept.order)) + 1;
  return createFile(join(folder, name + ITEM), JSON.stringify({ order, item } satisfies Kept), options);
}

/** In order of posting. */
export async function itemsIn(session: string): Promise<readonly InboxItem[]> {
  const folder = join(session, INBOX);
  const kept = await waiting(folder, await namesIn(folder));
  return kept.toSorted((a, b) => a.order - b.order).map(({ item }) => item);
}

export async function acknowledgeIn(session: string, ids: readonly string[]): Promise<void> {
  const folder = join(session, INBOX);
  const names = await namesIn(folder);
  for (const name of ids.map(nameOf)) {
    if (!names.has(name + ITEM) || names.has(name + TAKEN)) continue;
    await writeFile(join(folder, name + TAKEN), '');
    await replaceFile(join(folder, name + ITEM), '', { fsync: false });
  }
  const taken = [...(await namesIn(folder))].filter((name) => name.endsWith(TAKEN));
  if (taken.length > REMEMBERED_IDS + SLACK) await forgetOldest(folder, taken);
}

/** An item without its mark is empty and counts as taken, so whatever a crash leaves here is harmless. */
async function forgetOldest(folder: string, taken: readonly string[]): Promise<void> {
  const dated = await Promise.all(taken.map(async (name) => ({ name, at: await changedAt(join(folder, name)) })));
  const oldest = dated.toSorted((a, b) => a.at - b.at).slice(0, taken.length - REMEMBERED_IDS);
  for (const { name } of oldest) {
    for (const each of [name, name.slice(0, -TAKEN.length) + ITEM]) await unlink(join(folder, each)).catch(() => undefined);
  }
}

async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0; // another process forgets at the same time
    throw error;
  }
}

async function waiting(folder: string, names: ReadonlySet<string>): Promise<readonly Kept[]> {
  const open = [...names].filter((name) => name.endsWith(ITEM) && !names.has(name.slice(0, -ITEM.length) + TAKEN));
  const found = await Promise.all(open.map((name) => readKept(join(folder, name))));
  return found.filter((kept) => kept !== undefined);
}

async function readKept(path: string): Promise<Kept | undefined> {
  try {
    const found = parseObject(await readFile(path, 'utf8'));
    return found === undefined ? undefined : (found as unknown as Kept);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Nothing without a folder. */
async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(await readdir(folder));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return new Set();
    throw error;
  }
}

function nameOf(id: string): string {
  return encodeName('i', id);
}
