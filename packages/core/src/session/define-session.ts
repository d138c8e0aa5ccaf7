import { AgentScopeError } from '../error/index.ts';
import type { JsonObject, JsonValue } from '../internal/index.ts';
import { decodeEntry, encodeEntry } from './codec.ts';
import { conflict } from './conflict.ts';
import type { JournalEntry, SessionKey } from './entry.ts';
import { InboxTable } from './inbox-table.ts';
import { KeyedLock } from './keyed-lock.ts';
import { keyText } from './key.ts';
import { LeaseTable } from './leases.ts';
import { lastSeqOf } from './merge-deltas.ts';
import { asList, NamedValues } from './named-values.ts';
import type { AppendOptions, Session, SessionInfo } from './session.ts';

/** A store in its smallest form. `store` names it in messages, default `custom`. */
export type SessionSpec = Pick<Session, 'append' | 'read' | 'delete'> & Partial<Session>;

/**
 * Completes a store from `append`, `read` and `delete`. What is not given: leases hold within this process, their fences going on
 * from the journal's epochs · snapshots are off · named values and the inbox are kept in memory, as long as the process lives · `list` is empty.
 * Appends to one session follow each other, a repeated append succeeds, and `read` may leave out the entry that covers `fromSeq`.
 */
export function defineSession(spec: SessionSpec): Session {
  const leases = new LeaseTable();
  const values = new NamedValues();
  const inboxes = new InboxTable();
  const locks = new KeyedLock();
  const writers = new Map<string, LastWriter>();
  const read = (key: SessionKey, { fromSeq = 1 }: { fromSeq?: number } = {}): AsyncIterable<JournalEntry> => readCovering(spec, key, fromSeq);
  return {
    store: spec.store ?? 'custom',
    append: async (key, entries, options) =>
      locks.run(keyText(key), async () => {
        if (options.fence !== undefined && options.fence < leases.newestFence(key)) throw conflict(options.expectedSeq, -1);
        await appendOnce({ spec, writers }, key, { entries, options });
      }),
    read,
    delete: async (key) => {
      const hadValues = values.delete(key);
      inboxes.delete(key);
      writers.delete(keyText(key));
      return (await spec.delete(key)) || hadValues;
    },
    lease: async (key, options) => (spec.lease === undefined ? leases.take(key, options, leases.newestFence(key) === 0 ? await newestEpoch(read(key)) : 0) : spec.lease(key, options)),
    list: (options) => spec.list?.(options) ?? nothing(),
    saveSnapshot: async (key, seq, state) => spec.saveSnapshot?.(key, seq, state),
    loadSnapshot: async (key) => spec.loadSnapshot?.(key),
    save: async (key, name, value) => (spec.save === undefined ? values.save(key, name, value) : spec.save(key, name, value)),
    get: async (key, name) => (spec.get === undefined ? values.get(key, name) : spec.get(key, name)),
    getList: async (key, name): Promise<readonly JsonValue[]> => {
      if (spec.getList !== undefined) return spec.getList(key, name);
      return spec.get === undefined ? values.getList(key, name) : asList(await spec.get(key, name));
    },
    exists: async (key) => (spec.exists === undefined ? values.has(key) || (await hasEntries(spec, key)) : spec.exists(key)),
    listSessionKeys: async () => (spec.listSessionKeys === undefined ? listedKeys(spec, values) : spec.listSessionKeys()),
    post: async (key, item) => (spec.post === undefined ? inboxes.post(key, item) : spec.post(key, item)),
    inbox: async (key) => (spec.inbox === undefined ? inboxes.items(key) : spec.inbox(key)),
    acknowledge: async (key, ids) => (spec.acknowledge === undefined ? inboxes.take(key, ids) : spec.acknowledge(key, ids)),
    close: async () => spec.close?.(),
  };
}

/** The fence of the newest entries, and the number from which on they are of it, as far as this process knows. */
interface LastWriter {
  readonly fence: number | undefined;
  readonly from: number;
}
interface Appending {
  readonly entries: readonly JournalEntry[];
  readonly options: AppendOptions;
}

async function appendOnce({ spec, writers }: { spec: SessionSpec; writers: Map<string, LastWriter> }, key: SessionKey, { entries, options }: Appending): Promise<void> {
  const name = keyText(key);
  const { fence, expectedSeq } = options;
  const writer = writers.get(name);
  const note = (): void => {
    if (entries.length > 0 && writer?.fence !== fence) writers.set(name, { fence, from: expectedSeq + 1 });
  };
  try {
    await spec.append(key, entries, options);
    note();
  } catch (error) {
    if (!AgentScopeError.is(error, 'session/conflict')) note(); // it may have been written all the same
    else if ((writer === undefined || (writer.fence === fence && writer.from <= expectedSeq + 1)) && (await isThere(spec, key, entries))) return;
    throw error;
  }
}

/** True when exactly these entries are in the journal: the answer to an earlier append was lost. */
async function isThere(spec: SessionSpec, key: SessionKey, entries: readonly JournalEntry[]): Promise<boolean> {
  const [first] = entries;
  if (first === undefined) return false;
  let found = 0;
  for await (const entry of spec.read(key, { fromSeq: first.seq })) {
    if (entry.seq < first.seq) continue;
    const wanted = entries[found];
    if (wanted === undefined || oneForm(entry) !== oneForm(wanted)) return false;
    if (++found === entries.length) return true;
  }
  return false;
}

/** The same text for what was appended and for what was read back: members may stand in another order in a store that keeps JSON. */
function oneForm(entry: JournalEntry): string {
  return encodeEntry(decodeEntry(JSON.parse(encodeEntry(entry)) as JsonObject));
}

async function* readCovering(spec: SessionSpec, key: SessionKey, fromSeq: number): AsyncGenerator<JournalEntry> {
  let isFirst = true;
  for await (const entry of spec.read(key, { fromSeq })) {
    if (lastSeqOf(entry) < fromSeq) continue;
    const before = isFirst && entry.seq > fromSeq ? await covering(spec, key, fromSeq) : undefined;
    if (before !== undefined) yield before;
    isFirst = false;
    yield entry;
  }
  const before = isFirst ? await covering(spec, key, fromSeq) : undefined;
  if (before !== undefined) yield before;
}

/** The merged record that covers a number without beginning there: further and further back, since records are short. */
async function covering(spec: SessionSpec, key: SessionKey, seq: number): Promise<JournalEntry | undefined> {
  for (let back = 1; back < seq; back *= 8) {
    let sawEarlier = false;
    for await (const entry of spec.read(key, { fromSeq: Math.max(1, seq - back) })) {
      if (entry.seq >= seq) break;
      if (lastSeqOf(entry) >= seq) return entry;
      sawEarlier = true;
    }
    if (sawEarlier) return undefined;
  }
  for await (const entry of spec.read(key, { fromSeq: 1 })) {
    if (entry.seq >= seq) break;
    if (lastSeqOf(entry) >= seq) return entry;
  }
  return undefined;
}

async function newestEpoch(entries: AsyncIterable<JournalEntry>): Promise<number> {
  let newest = 0;
  for await (const entry of entries) if (entry.kind === 'epoch') newest = Math.max(newest, entry.epoch);
  return newest;
}

async function hasEntries(spec: SessionSpec, key: SessionKey): Promise<boolean> {
  for await (const _ of spec.read(key)) return true;
  return false;
}

async function listedKeys(spec: SessionSpec, values: NamedValues): Promise<readonly SessionKey[]> {
  const keys = new Map(values.keys().map((key) => [keyText(key), key] as const));
  for await (const { key } of spec.list?.() ?? nothing()) keys.set(keyText(key), key);
  return [...keys.values()];
}

async function* nothing(): AsyncGenerator<SessionInfo> {}
