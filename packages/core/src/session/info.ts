import { CONTEXT_EDIT, toContextEdit } from './context-edit.ts';
import type { ContextEdit } from './context-edit.ts';
import type { FullSessionKey, JournalEntry } from './entry.ts';
import { keyText } from './key.ts';
import type { ListOptions, SessionInfo } from './session.ts';

/** Whether a reply is unfinished after these entries; undefined where they say nothing about it. For stores that keep it by append. */
export function unfinishedAfter(entries: readonly JournalEntry[]): boolean | undefined {
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i];
    const found = entry && unfinishedBy(entry);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** True for what the list asks for, the place in it left aside. */
export function isListed({ key, unfinished }: SessionInfo, asked: ListOptions): boolean {
  return (asked.userId === undefined || key.userId === asked.userId) && (asked.unfinished === undefined || unfinished === asked.unfinished);
}

/** In one order for all, from behind `after` on: for stores that have no order of their own. */
export function inOrder<T extends { readonly key: FullSessionKey }>(all: readonly T[], after: FullSessionKey | undefined): readonly T[] {
  const named = all.map((item) => ({ item, name: keyText(item.key) }));
  const from = after === undefined ? '' : keyText(after);
  return named.filter(({ name }) => name > from).sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ item }) => item);
}

function unfinishedBy(entry: JournalEntry): boolean | undefined {
  if (entry.kind === 'state' && entry.name === CONTEXT_EDIT) return unfinishedByEdit(toContextEdit(entry.value));
  if (entry.kind !== 'event' || entry.event.source !== undefined) return undefined;
  if (entry.event.type === 'AGENT_START') return true;
  return entry.event.type === 'AGENT_END' ? false : undefined;
}

/** A state that was loaded takes the place of a reply that was cut off, and may bring another one. */
function unfinishedByEdit(edit: ContextEdit | undefined): boolean | undefined {
  return edit?.op === 'import' && edit.replaces === true ? (edit.open?.running ?? false) : undefined;
}
