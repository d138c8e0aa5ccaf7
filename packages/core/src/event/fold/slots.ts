import type { JsonObject } from '../../internal/index.ts';
import type { ContentBlock, Metadata, PermissionRule, ToolCallState, ToolResultState } from '../../message/index.ts';
import type { Base64Pieces } from './base64-pieces.ts';

/**
 * A block while it grows. `block` is what was last shown of it and is shared between messages; a change clears it, so that only
 * changed blocks are built again. Slots are the one mutable thing of the fold, and never leave it.
 */
interface SlotBase {
  /** Its place in the message. */
  index: number;
  /** Which model call of this fold it belongs to, counted by the fold; -1 for a block that was there before. */
  round: number;
  /** The call number shown in the model (WIRE F25). */
  call: number | undefined;
  createdAt: string | undefined;
  finishedAt: string | undefined;
  block: ContentBlock | undefined;
  /** Unknown members of a block that was read. */
  readonly extra?: JsonObject | undefined;
}
export interface TextSlot extends SlotBase {
  readonly kind: 'text' | 'thinking';
  /** Kind, event rid and blockId: what its deltas say. */
  readonly key: string;
  readonly id: string;
  /** What is joined already; `pieces` come after it. */
  text: string;
  pieces: string[];
  open: boolean;
  metadata: Metadata | undefined;
}
export interface DataSlot extends SlotBase {
  readonly kind: 'data';
  readonly key: string;
  readonly id: string;
  readonly name: string | undefined;
  mediaType: string | undefined;
  url: string | undefined;
  readonly pieces: Base64Pieces;
  open: boolean;
  metadata: Metadata | undefined;
}
export interface CallSlot extends SlotBase {
  readonly kind: 'call';
  readonly id: string;
  name: string;
  /** The arguments as they came; `pieces` come after it. */
  text: string;
  pieces: string[];
  /** The parsed arguments, once they are known; a piece makes them unknown again. */
  input: JsonObject | undefined;
  /** The arguments end like an object. Asking the text itself would copy it, each time somebody looks. */
  closed: boolean;
  /** As read from a block that had none. */
  nullContent: boolean;
  state: ToolCallState;
  metadata: Metadata;
  rules: readonly PermissionRule[] | undefined;
  result: ResultSlot | undefined;
}
export interface ResultSlot extends SlotBase {
  readonly kind: 'result';
  readonly id: string;
  name: string;
  output: ContentBlock[];
  /** Text that follows `output`, joined and not yet joined. */
  text: string;
  pieces: string[];
  state: ToolResultState;
  metadata: Metadata;
  /** Finished: nothing changes it any more. */
  sealed: boolean;
  outputString: boolean;
}
/** A block that came whole. */
export interface WholeSlot extends SlotBase {
  readonly kind: 'whole';
  readonly whole: ContentBlock;
}
export type Slot = TextSlot | DataSlot | CallSlot | ResultSlot | WholeSlot;

const JOIN_AT = 1000;

/** Keeps a piece; joins every thousand, so that neither the list nor a rope of strings grows without end. */
export function addPiece(slot: { text: string; pieces: string[] }, piece: string): void {
  if (slot.pieces.push(piece) >= JOIN_AT) joined(slot);
}

export function joined(slot: { text: string; pieces: string[] }): string {
  if (slot.pieces.length > 0) {
    slot.text += slot.pieces.length === 1 ? slot.pieces[0] : slot.pieces.join('');
    slot.pieces = [];
  }
  return slot.text;
}
