import { AgentScopeError } from '../error/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { isObject, newId } from '../internal/index.ts';
import type { JsonValue } from '../internal/index.ts';
import { openJournal, readRange, viewSession } from '../session/index.ts';
import type { ContextEdit, FullSessionKey, Journal, JournalEntry, SessionFold } from '../session/index.ts';
import { journalOptions } from './config.ts';
import type { AgentConfig } from './config.ts';
import { resultDelta, resultEnd, resultRestart } from './results.ts';
import { viewAt } from './time-travel.ts';

/** Where a branch leaves: right after an entry of the journal, or before or after a message of the context. */
export type ForkPoint = { readonly atSeq: number } | { readonly before: string } | { readonly after: string };

/** What the branch begins with; taken at one moment, since the original may go on meanwhile. */
interface Branch {
  readonly context: ContextEdit;
  readonly values: readonly (readonly [name: string, value: JsonValue])[];
  /** The numbers of an open reply so far. */
  readonly open: { readonly from: number; readonly to: number } | undefined;
}

/**
 * Makes a session of its own from a moment of another, which stays as it is. Its journal begins with one entry that holds the context
 * and the named values of that moment. A reply that was open then goes on being open, its events copied behind that entry, so that
 * the branch can answer its question differently or ask another model; a tool that was running is sealed `interrupted`: its effect
 * belongs to the original.
 */
export async function forkSession(config: AgentConfig, key: FullSessionKey, { at, sessionId }: { at: ForkPoint | undefined; sessionId: string | undefined }): Promise<FullSessionKey> {
  const target: FullSessionKey = { userId: key.userId, sessionId: sessionId ?? newId() };
  config.memories?.of(target); // refuses a session the memory is not for
  await checkUnused(config, target);
  const branch = await branchAt(config, key, at);
  const opened = branch.open === undefined ? [] : await readRange(config.session, key, branch.open);
  const journal = await openJournal(config.session, target, journalOptions(config));
  try {
    for (const [name, value] of branch.values) journal.set(name, value);
    journal.edit(branch.context);
    journal.copy(opened);
    sealRunning(journal, opened);
    await journal.flush();
  } finally {
    await journal.release();
  }
  return target;
}

async function checkUnused({ session }: AgentConfig, target: FullSessionKey): Promise<void> {
  for await (const entry of session.read(target)) {
    throw new AgentScopeError('session/conflict', `The session ${JSON.stringify(target.sessionId)} exists already; a branch needs an id of its own. Leave \`sessionId\` out to get one.`, {
      details: { expectedSeq: 0, actualSeq: entry.seq },
    });
  }
}

async function branchAt(config: AgentConfig, key: FullSessionKey, at: ForkPoint | undefined): Promise<Branch> {
  const now = await viewSession(config.session, key);
  if (at === undefined) return branchOf(now);
  if ('atSeq' in at) return branchOf(await foldAt(config, key, { now, seq: at.atSeq }));
  const [id, behind] = 'before' in at ? [at.before, 0] : [at.after, 1];
  const range = now.range(id);
  if (range === undefined) throw unknownMessage(id);
  if (!now.isImported(id)) return branchOf(await foldAt(config, key, { now, seq: behind === 1 ? range.to : range.from - 1 }));
  const fold = await foldAt(config, key, { now, seq: range.from });
  return branchOf(fold, fold.context().findIndex((msg) => msg.id === id) + behind);
}

function branchOf(fold: SessionFold, count?: number): Branch {
  const from = count === undefined ? fold.openSince() : undefined;
  const values = fold.stateNames().map((name) => [name, fold.state(name) ?? null] as const);
  return { context: fold.exportContext(count), values, open: from === undefined ? undefined : { from, to: fold.lastSeq } };
}

/** What is in memory says it at once where it can; else the journal is read up to there. */
async function foldAt(config: AgentConfig, key: FullSessionKey, { now, seq }: { now: SessionFold; seq: number }): Promise<SessionFold> {
  return seq >= now.lastSeq ? now : (now.until(seq) ?? (await viewAt(config, key, { atSeq: seq })));
}

/** An open result of a tool with an effect: nobody but the original knows what becomes of it. */
function sealRunning(journal: Journal, entries: readonly JournalEntry[]): void {
  const running = new Set<string>();
  for (const entry of entries) {
    const event = entry.kind === 'event' ? entry.event : undefined;
    if (event?.type === 'TOOL_RESULT_START' && isEffect(event)) running.add(event.toolCallId);
    if (event?.type === 'TOOL_RESULT_END') running.delete(event.toolCallId);
  }
  const message = running.size === 0 ? undefined : journal.openReply()?.message;
  for (const { call } of message?.getToolCalls() ?? []) {
    if (message === undefined || !running.has(call.id)) continue;
    const text = `${call.name} was running in the session that this one was forked from. Its outcome is there; it was not started here.`;
    journal.commit([resultRestart(message.id, call), resultDelta(message.id, call, { type: 'text', text }), resultEnd(message.id, call, { state: 'interrupted', metadata: {} })]);
  }
}

function isEffect({ metadata }: AgentEvent): boolean {
  const run = metadata?.['run'];
  return isObject(run) && (run['decision'] === 'allow' || run['decision'] === 'user-allow') && run['effect'] !== 'read';
}

function unknownMessage(id: string): AgentScopeError<'config/invalid'> {
  return new AgentScopeError('config/invalid', `The message ${JSON.stringify(id)} is not in the context of this session, so nothing can branch off there. Take an id of \`session.messages()\`, or \`atSeq\`.`, {
    details: { option: 'at' },
  });
}
