import { Blobs } from './blobs.ts';
import type { JournalEntry, SessionKey } from './entry.ts';
import { checkSchema, JOURNAL_SCHEMA, migrate, MIGRATIONS } from './migrate.ts';
import type { Session } from './session.ts';

/**
 * What every reader of a store does with each entry, in order: outputs go back into their events, entries of an older form become
 * what they are in the newest one, a newer one is refused.
 */
export class Intake {
  readonly #blobs = new Blobs();
  /** Form of the entries that come now. */
  #schema: number;

  constructor(schema: number = JOURNAL_SCHEMA) {
    this.#schema = schema;
  }

  /** @throws AgentScopeError `session/newer-schema` */
  take(entry: JournalEntry): readonly JournalEntry[] {
    if (entry.kind === 'epoch') {
      checkSchema(entry);
      this.#schema = entry.schema;
    }
    const whole = this.#blobs.restore(entry);
    return this.#schema < JOURNAL_SCHEMA ? migrate(whole, this.#schema) : [whole];
  }
}

/** The intake for reading from a number on. The form is looked up only where there are older forms at all. */
export async function intakeFrom(store: Session, key: SessionKey, fromSeq: number): Promise<Intake> {
  let schema = JOURNAL_SCHEMA;
  if (MIGRATIONS.size === 0 || fromSeq <= 1) return new Intake();
  for await (const entry of store.read(key)) {
    if (entry.seq >= fromSeq) break;
    if (entry.kind === 'epoch') schema = entry.schema;
    if (entry.seq === 1 && schema >= JOURNAL_SCHEMA) break; // later epochs are never older
  }
  return new Intake(schema);
}
