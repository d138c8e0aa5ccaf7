import { AgentScopeError } from '../error/index.ts';
import type { EpochEntry, JournalEntry } from './entry.ts';

/** The newest form of the journal this version writes and reads. To raise it, put a {@link Migration} into the table. */
export const JOURNAL_SCHEMA = 1;

/**
 * Makes of an entry of one form the entries of the next one. Pure, and the result covers the numbers of the entry, each once: cursors
 * and ids that somebody holds go on meaning the same.
 */
export type Migration = (entry: JournalEntry) => readonly JournalEntry[];

/** `MIGRATIONS.get(n)` leads from form n to form n + 1; without one, what was there before is the same in both. */
export const MIGRATIONS: Map<number, Migration> = new Map();

/** An entry of an older form in the newest one. What is stored stays as it is: this happens on the way in. */
export function migrate(entry: JournalEntry, schema: number): readonly JournalEntry[] {
  let entries: readonly JournalEntry[] = [entry];
  for (let form = schema; form < JOURNAL_SCHEMA; form++) {
    const step = MIGRATIONS.get(form);
    if (step !== undefined) entries = entries.flatMap(step);
  }
  return entries;
}

/** @throws AgentScopeError `session/newer-schema` for what a newer version wrote. */
export function checkSchema({ schema }: EpochEntry): void {
  if (schema <= JOURNAL_SCHEMA) return;
  throw new AgentScopeError('session/newer-schema', `The session was written by a newer version (form ${schema}, this one reads ${JOURNAL_SCHEMA}). Update this package.`, {
    details: { found: schema, known: JOURNAL_SCHEMA },
  });
}
