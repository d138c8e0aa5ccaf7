import type { JsonObject } from '../internal/index.ts';
import type { FullSessionKey } from './entry.ts';
import type { SessionFold } from './session-fold.ts';
import type { Session } from './session.ts';

/** A shorter tail is read as fast as a snapshot. */
const MIN_SNAPSHOT_BYTES = 65_536;

/** Saves a snapshot of a session once as much came since the last one as that one has (DESIGN §4). Nobody waits, and a failure is none. */
export class SnapshotSaver {
  readonly #store: Session;
  readonly #key: FullSessionKey;
  readonly #fold: SessionFold;
  #isSaving = false;

  constructor(store: Session, key: FullSessionKey, fold: SessionFold) {
    this.#store = store;
    this.#key = key;
    this.#fold = fold;
  }

  /** To be asked when everything that is folded is durable. */
  saveIfDue(): void {
    const fold = this.#fold;
    if (this.#isSaving || fold.grown < MIN_SNAPSHOT_BYTES || fold.grown < fold.snapshotSize) return;
    this.#isSaving = true;
    const ended = (): void => {
      this.#isSaving = false;
    };
    this.#store.saveSnapshot(this.#key, fold.lastSeq, fold.snapshot() as unknown as JsonObject).then(ended, ended);
  }
}
