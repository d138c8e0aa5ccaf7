import { resolve } from 'node:path';
import type { AgentSession, SessionInfo } from '@agentscope/core';
import type { Surroundings } from '../conversation.ts';
import { EXIT } from '../exit-codes.ts';
import { wholeNumber } from '../flags.ts';
import { printable } from '../printable.ts';
import { openStore } from '../store.ts';
import { LIST_HELP } from './help.ts';
import { storeOf } from './options.ts';
import type { SessionCommand } from './options.ts';

interface ListRequest {
  readonly store: string;
  readonly user: string | undefined;
  readonly limit: number | undefined;
  readonly unfinished: boolean;
  readonly json: boolean;
}

/** A line of the list; its JSON form too. */
interface Row {
  readonly id: string;
  readonly user: string | null;
  readonly updatedAt: string;
  readonly turns: number | null;
  readonly unfinished: boolean;
  /** For an answer to a question. */
  readonly waiting: boolean | null;
  readonly lastSeq: number;
}

export const listCommand: SessionCommand = {
  help: LIST_HELP,
  flags: { json: { type: 'boolean' }, unfinished: { type: 'boolean' }, limit: { type: 'string' } },
  takesId: false,
  job(flags) {
    const request = { store: storeOf(flags), user: flags.text('user'), limit: wholeNumber(flags, 'limit', 1), unfinished: flags.has('unfinished'), json: flags.has('json') };
    return { run: (surroundings) => list(request, surroundings) };
  },
};

async function list(request: ListRequest, surroundings: Surroundings): Promise<number> {
  const { output, notes } = surroundings;
  const rows = await rowsOf(request, surroundings);
  if (request.json) output.write(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length > 0) output.write(table(rows));
  else notes.write(`agentscope: there are no ${request.unfinished ? 'unfinished ' : ''}sessions in ${printable(request.store)}.\n`);
  return EXIT.done;
}

/** The newest first, which no store can give page by page. */
async function rowsOf({ store: folder, user, limit, unfinished }: ListRequest, { notes }: Surroundings): Promise<readonly Row[]> {
  const { silentAgent } = await import('../conversation.ts');
  const store = await openStore(resolve(folder), notes);
  try {
    const found: SessionInfo[] = [];
    for await (const info of store.list({ userId: user, ...(unfinished ? { unfinished } : {}) })) found.push(info);
    found.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
    const agent = silentAgent(store);
    const rows: Row[] = [];
    for (const { key, ...info } of found.slice(0, limit)) {
      rows.push({ id: key.sessionId, user: key.userId ?? null, updatedAt: info.updatedAt, unfinished: info.unfinished, ...(await lookInto(agent.session(key))), lastSeq: info.lastSeq });
    }
    return rows;
  } finally {
    await store.close();
  }
}

/** One session that cannot be read hides no other. */
async function lookInto(session: AgentSession): Promise<Pick<Row, 'turns' | 'waiting'>> {
  try {
    const turns = (await session.messages()).filter(({ role }) => role === 'USER').length;
    return { turns, waiting: (await session.openReply())?.waiting === true };
  } catch {
    return { turns: null, waiting: null };
  }
}

const HEAD: readonly string[] = ['ID', 'USER', 'UPDATED', 'TURNS', ''];

function table(rows: readonly Row[]): string {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) => `${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()}\n`).join('');
}

function cells({ id, user, updatedAt, turns, unfinished, waiting }: Row): readonly string[] {
  return [plain(id), user === null ? '-' : plain(user), updatedAt.replace(/\.\d+Z$/, 'Z'), String(turns ?? '?'), waiting === true ? 'waiting' : unfinished ? 'unfinished' : ''];
}

/** Ids are any text: what would not stand as one word is quoted. */
function plain(id: string): string {
  return /^[\p{L}\p{N}\p{M}][\p{L}\p{N}\p{M}._:@/+-]*$/u.test(id) ? id : printable(JSON.stringify(id));
}
