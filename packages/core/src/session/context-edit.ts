import { createFold } from '../event/index.ts';
import type { Facts } from '../event/index.ts';
import { isObject } from '../internal/index.ts';
import type { JsonObject, JsonValue } from '../internal/index.ts';
import type { MsgData } from '../message/index.ts';
import { fromThin } from './thin-message.ts';
import type { ThinMessage } from './thin-message.ts';

/** Name of the `state` entries whose value is a {@link ContextEdit}. Names that begin with `agentscope:` are the library's own. */
export const CONTEXT_EDIT = 'agentscope:context';

/** What an imported message is in the context it comes into. */
export interface ImportedSlot {
  readonly kind: 'input' | 'reply';
  /** Of an input: the reply that answered it. */
  readonly reply?: string;
}

/**
 * A change of the context that leaves the record as it was: `clear` takes everything away but an open reply with what it answers,
 * `delete` one message, `input-edit` changes what a reply answers, `import` puts messages in as if they had been said here: they bring the ids they had.
 */
export type ContextEdit =
  | { readonly op: 'clear' }
  | { readonly op: 'delete'; readonly id: string }
  | InputEdit
  | ContextImport;
/** What a reply answers is something else than what was given, for everybody who reads the context. */
export interface InputEdit {
  readonly op: 'input-edit';
  readonly replyId: string;
  /** All of it, in order. One of a known id stands where that one stood. */
  readonly messages: readonly MsgData[];
}
export interface ContextImport {
  readonly op: 'import';
  /** Plain; members that have their default may be left out. */
  readonly messages: readonly ThinMessage[];
  /** Beside each message. */
  readonly slots: readonly ImportedSlot[];
  /** All that was there before goes away, an open reply too. */
  readonly replaces?: boolean;
  /** One of the messages is an open reply: what a message does not show of it. */
  readonly open?: Facts;
}

/** The fold of the open reply that an import brings, null where it brings none; undefined for what is no import that replaces. */
export function importedSnapshot(value: JsonValue): JsonObject | null | undefined {
  const edit = toContextEdit(value);
  if (edit?.op !== 'import' || edit.replaces !== true) return undefined;
  const { open: facts, messages } = edit;
  const seed = messages.find(({ id }) => id === facts?.replyId);
  return facts === undefined || seed === undefined ? null : createFold({ seed: fromThin(seed), facts }).snapshot();
}

/** Undefined for a value that is no edit this version knows; such an entry changes nothing. */
export function toContextEdit(value: JsonValue): ContextEdit | undefined {
  if (!isObject(value)) return undefined;
  const { op, id } = value;
  if (op === 'clear') return { op };
  if (op === 'delete' && typeof id === 'string') return { op, id };
  if (op === 'input-edit' && typeof value['replyId'] === 'string' && Array.isArray(value['messages'])) return value as unknown as InputEdit;
  if (op === 'import' && Array.isArray(value['messages']) && Array.isArray(value['slots'])) return value as unknown as ContextImport;
  return undefined;
}
