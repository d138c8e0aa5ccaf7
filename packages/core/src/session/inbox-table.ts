import type { SessionKey } from './entry.ts';
import { keyText } from './key.ts';
import type { InboxItem } from './session.ts';

/** How many ids an inbox remembers after their items were taken. */
export const REMEMBERED_IDS = 1_000;

interface Box {
  /** In order of posting. */
  readonly waiting: Map<string, string>;
  /** Waiting ones included, oldest first. */
  readonly posted: Set<string>;
}

/** Inboxes within one process: for stores that live in it, and for those that bring none of their own. Items are copied. */
export class InboxTable {
  readonly #boxes = new Map<string, Box>();

  post(key: SessionKey, item: InboxItem): boolean {
    const name = keyText(key);
    const box = this.#boxes.get(name) ?? { waiting: new Map<string, string>(), posted: new Set<string>() };
    if (box.posted.has(item.id)) return false;
    this.#boxes.set(name, box);
    box.waiting.set(item.id, JSON.stringify(item));
    box.posted.add(item.id);
    forgetOldest(box);
    return true;
  }
  items(key: SessionKey): readonly InboxItem[] {
    return [...(this.#boxes.get(keyText(key))?.waiting.values() ?? [])].map((text) => JSON.parse(text) as InboxItem);
  }
  take(key: SessionKey, ids: readonly string[]): void {
    const box = this.#boxes.get(keyText(key));
    if (box === undefined) return;
    for (const id of ids) box.waiting.delete(id);
    forgetOldest(box);
  }
  delete(key: SessionKey): void {
    this.#boxes.delete(keyText(key));
  }
}

/** What still waits is never forgotten. */
function forgetOldest({ waiting, posted }: Box): void {
  for (const id of posted) {
    if (posted.size <= REMEMBERED_IDS) return;
    if (!waiting.has(id)) posted.delete(id);
  }
}
