import type { NameMap } from '../../../formatter/index.ts';
import { isObject, newId } from '../../../internal/index.ts';
import type { JsonObject, JsonValue } from '../../../internal/index.ts';
import type { Increment } from '../../../model/index.ts';
import type { CompatibleProfile } from './profile.ts';

/** Where increments go and how blocks get their numbers. */
export interface CallOutput {
  readonly increments: Increment[];
  /** A tool call opens: the number of its block. */
  openBlock(): number;
}

interface CallSlot {
  id: string | undefined;
  readonly position: number | undefined;
  name: string | undefined;
  /** Argument text that waits for the name. */
  held: string;
  extra: JsonValue | undefined;
  block: number | undefined;
  /** The arguments so far, where each delta repeats them. */
  said: string;
}

/**
 * Tool calls out of the deltas of many servers. A fragment belongs to the call with its id, else to the one at its `index`, else to the
 * call last opened; an empty id or name says nothing. Nothing is said of a call before its name is known, and nothing ends a call
 * but the answer's end: text that parses may still go on (C023).
 */
export class ToolCallReader {
  readonly #slots: CallSlot[] = [];
  readonly #byId = new Map<string, CallSlot>();
  readonly #byPosition = new Map<number, CallSlot>();
  readonly #names: NameMap;
  readonly #profile: Pick<CompatibleProfile, 'name' | 'deltas'>;
  #last: CallSlot | undefined;

  constructor(names: NameMap, profile: Pick<CompatibleProfile, 'name' | 'deltas'>) {
    this.#names = names;
    this.#profile = profile;
  }

  get count(): number {
    return this.#slots.length;
  }

  /** The `tool_calls` of a delta. */
  read(list: readonly unknown[], output: CallOutput): void {
    for (let at = 0; at < list.length; at++) {
      const item = list[at];
      if (isObject(item)) this.#fragment(item, at, output);
    }
  }

  /** The `tool_calls` of a whole message: each entry is a call, whatever its id. */
  readWhole(list: readonly unknown[], output: CallOutput): void {
    for (const item of list) if (isObject(item)) this.#extend(this.#open(textIn(item['id']), undefined), item, output);
  }

  /** No more comes: calls that never got a name are said too, so that the model hears of it; mere placeholders are not. */
  end(output: CallOutput): void {
    for (const slot of this.#slots) if (slot.block === undefined && (slot.id !== undefined || slot.name !== undefined || slot.held.trim() !== '')) this.#say(slot, output);
  }

  #fragment(item: Record<string, unknown>, at: number, output: CallOutput): void {
    const id = textIn(item['id']);
    const position = typeof item['index'] === 'number' ? item['index'] : undefined;
    const name = textIn(isObject(item['function']) ? item['function']['name'] : undefined);
    const slot = this.#find({ id, position, name, at }) ?? this.#open(id, position);
    this.#last = slot;
    this.#extend(slot, item, output);
  }

  #find({ id, position, name, at }: { id: string | undefined; position: number | undefined; name: string | undefined; at: number }): CallSlot | undefined {
    const atPosition = position === undefined ? undefined : this.#byPosition.get(position);
    if (id !== undefined) {
      const known = this.#byId.get(id);
      if (known !== undefined && (position === undefined || known.position === undefined || known.position === position)) return known;
      // A new id at a position in use: the id came late, or changes with every delta, unless a name opens another call.
      return atPosition !== undefined && (atPosition.id === undefined || name === undefined) ? atPosition : undefined;
    }
    if (position !== undefined) return atPosition;
    const opensAnother = at > 0 || (name !== undefined && this.#last?.name !== undefined && name !== this.#last.name);
    return opensAnother ? undefined : this.#last;
  }

  #open(id: string | undefined, position: number | undefined): CallSlot {
    const slot: CallSlot = { id, position, name: undefined, held: '', extra: undefined, block: undefined, said: '' };
    this.#slots.push(slot);
    if (id !== undefined) this.#byId.set(id, slot);
    if (position !== undefined) this.#byPosition.set(position, slot);
    this.#last = slot;
    return slot;
  }

  #extend(slot: CallSlot, item: Record<string, unknown>, output: CallOutput): void {
    const fn = isObject(item['function']) ? item['function'] : {};
    const id = textIn(item['id']);
    if (id !== undefined && slot.id === undefined) {
      slot.id = id;
      this.#byId.set(id, slot);
    }
    slot.name ??= textIn(fn['name']);
    const piece = this.#news(slot, argumentPiece(fn['arguments']));
    if (item['extra_content'] !== undefined) slot.extra = item['extra_content'] as JsonObject;
    if (slot.block !== undefined) {
      if (piece !== '') output.increments.push({ type: 'tool_use', index: slot.block, id: slot.id ?? '', content: piece });
      return;
    }
    slot.held += piece;
    if (slot.name !== undefined && (slot.id !== undefined || slot.held !== '')) this.#say(slot, output);
  }

  #news(slot: CallSlot, piece: string): string {
    if (this.#profile.deltas === 'new') return piece;
    const news = newsOf(slot.said, piece);
    slot.said += news;
    return news;
  }

  #say(slot: CallSlot, output: CallOutput): void {
    slot.id ??= newId();
    slot.block = output.openBlock();
    const metadata = slot.extra === undefined ? {} : { metadata: { [this.#profile.name]: { extra_content: slot.extra } } };
    output.increments.push({ type: 'tool_use', index: slot.block, id: slot.id, name: this.#names.fromWire(slot.name ?? ''), content: slot.held, ...metadata });
    slot.held = '';
  }
}

/** What a text adds to the one it repeats. */
export function newsOf(said: string, text: string): string {
  return text.startsWith(said) ? text.slice(said.length) : said.startsWith(text) ? '' : text;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Text as it is; some servers send the object itself, or null. */
function argumentPiece(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}
