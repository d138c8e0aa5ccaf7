import { canonicalJson, isObject, newId, parseObject } from '../../../internal/index.ts';
import type { Increment } from '../../../model/index.ts';
import { brokenAnswer } from '../../shared/index.ts';
import type { ResponsesAnswerFacts } from './facts.ts';
import { Piece } from './piece.ts';
import { itemMetadata } from './private-data.ts';

type Kind = 'text' | 'refusal' | 'thinking';

/** One part of an item, or the arguments of a call: a block. */
interface Part {
  readonly piece: Piece;
  readonly kind: Kind | 'call';
  index: number | undefined;
}

/** One output item: a message, the reasoning, a call, or something a client has no part in. */
interface Item {
  type: string | undefined;
  readonly parts: Map<string, Part>;
  /** Of a call, once known; its arguments wait for the name. */
  callId: string | undefined;
  name: string | undefined;
  phase: string | undefined;
  id: string | undefined;
  finished: boolean;
}

/**
 * The output items while they grow, told apart by their place in the output: some gateways change the ids of items with every event.
 * Every text comes in deltas and is then repeated whole, by the event that ends it, by its item and by the final object. Each repetition
 * is compared: what is missing is added, what differs is an error, since a text with a hole in it looks like any other.
 */
export class Items {
  readonly #facts: ResponsesAnswerFacts;
  readonly #items = new Map<number, Item>();
  #increments: Increment[] = [];
  #next = 0;
  #calls = 0;
  /** Where the last delta went: mostly the next one goes there too. */
  #last: { readonly type: string; readonly at: unknown; readonly content: unknown; readonly summary: unknown; readonly item: Item; readonly part: Part } | undefined;

  constructor(facts: ResponsesAnswerFacts) {
    this.#facts = facts;
  }

  get increments(): readonly Increment[] {
    return this.#increments;
  }

  get calls(): number {
    return this.#calls;
  }

  take(): readonly Increment[] {
    const taken = this.#increments;
    this.#increments = [];
    return taken;
  }

  open(at: unknown, item: unknown): void {
    if (!isObject(item)) return;
    const known = this.#item(at ?? this.#placeOf(item));
    this.#describe(known, item);
    if (known.type === 'function_call') this.#tryCall(known);
  }

  say(event: Record<string, unknown>, type: string, delta: unknown): void {
    if (typeof delta !== 'string' || delta === '') return;
    const { output_index: at, content_index: content, summary_index: summary } = event;
    let last = this.#last;
    if (last === undefined || last.at !== at || last.type !== type || last.content !== content || last.summary !== summary) {
      const item = this.#item(at);
      this.#last = last = { type, at, content, summary, item, part: partOf(item, ...placeOf(event, type)) };
    }
    last.part.piece.add(delta);
    this.#push(last.item, last.part, delta);
  }

  sayAll(event: Record<string, unknown>, type: string, whole: unknown): void {
    if (typeof whole === 'string') this.#complete(this.#item(event['output_index']), placeOf(event, type), whole);
  }

  argue(event: Record<string, unknown>, delta: unknown): void {
    if (typeof delta !== 'string' || delta === '') return;
    const item = this.#item(event['output_index']);
    const part = partOf(item, 'call', 'call');
    part.piece.add(delta);
    this.#pushCall(item, part, delta);
  }

  argueAll(event: Record<string, unknown>, whole: unknown): void {
    if (typeof whole === 'string') this.#complete(this.#item(event['output_index']), ['call', 'call'], whole);
  }

  /** An item as it is in the end; also where no event said it before, or says it again. */
  done(at: unknown, item: unknown): void {
    if (!isObject(item)) return;
    const known = this.#item(at ?? this.#placeOf(item));
    this.#describe(known, item);
    switch (known.type) {
      case 'message':
        for (const [n, part] of listIn(item['content']).entries()) this.#message(known, part, n);
        break;
      case 'reasoning':
        this.#reasoning(known, item);
        break;
      case 'function_call':
        this.#call(known, item);
        break;
      default: // run by the provider, or of a kind nobody knows yet
    }
    known.finished = true;
  }

  /** Nothing more comes: a call that never got a name is said too, so that the model hears of it. */
  end(): void {
    for (const item of this.#items.values()) {
      const part = item.parts.get('call');
      if (part === undefined || part.index !== undefined) continue;
      item.name ??= '';
      this.#tryCall(item);
    }
  }

  /** Where a server does not say the place: an item is at the place of its id, else it is the next one. */
  #placeOf({ id }: Record<string, unknown>): number {
    const name = textIn(id);
    const known = name === undefined ? undefined : [...this.#items].find(([, item]) => item.id === name)?.[0];
    return known ?? this.#items.size;
  }

  /** What says no place goes on with the last item. */
  #item(at: unknown): Item {
    const key = typeof at === 'number' ? at : Math.max(0, this.#items.size - 1);
    let item = this.#items.get(key);
    if (item === undefined) this.#items.set(key, (item = { type: undefined, parts: new Map(), callId: undefined, name: undefined, phase: undefined, id: undefined, finished: false }));
    return item;
  }

  #describe(known: Item, { type, call_id: callId, id, name, phase }: Record<string, unknown>): void {
    const word = textIn(type);
    if (known.type !== undefined && word !== undefined && known.type !== word) throw this.#broken('Two items stand at the same place of it.');
    known.type ??= word;
    known.phase ??= textIn(phase);
    known.id ??= textIn(id);
    if (known.type !== 'function_call') return;
    known.callId ??= textIn(callId) ?? textIn(id);
    known.name ??= textIn(name);
  }

  #message(item: Item, part: Record<string, unknown>, n: number): void {
    const { type, text, refusal } = part;
    if (type === 'output_text' && typeof text === 'string') this.#complete(item, [`text:${n}`, 'text'], text);
    else if (type === 'refusal' && typeof refusal === 'string') this.#complete(item, [`refusal:${n}`, 'refusal'], refusal);
  }

  /** The last block of the item carries what goes back; an item without any words is a block without any. */
  #reasoning(item: Item, raw: Record<string, unknown>): void {
    for (const [n, part] of listIn(raw['summary']).entries()) if (typeof part['text'] === 'string') this.#complete(item, [`summary:${n}`, 'thinking'], part['text']);
    for (const [n, part] of listIn(raw['content']).entries()) if (typeof part['text'] === 'string') this.#complete(item, [`thought:${n}`, 'thinking'], part['text']);
    if (item.finished) return;
    const { metadata } = itemMetadata({ id: item.id, encryptedContent: textIn(raw['encrypted_content']) }, this.#facts.modelName);
    const spoken = [...item.parts.values()].filter((part) => part.index !== undefined);
    if (metadata === undefined || (spoken.length === 0 && textIn(raw['encrypted_content']) === undefined)) return;
    this.#increments.push({ type: 'thinking', index: spoken.at(-1)?.index ?? this.#next++, thinking: '', metadata, done: true });
  }

  #call(item: Item, raw: Record<string, unknown>): void {
    const { arguments: whole } = raw;
    partOf(item, 'call', 'call');
    this.#tryCall(item);
    if (typeof whole === 'string') this.#complete(item, ['call', 'call'], whole);
    else if (isObject(whole)) this.#complete(item, ['call', 'call'], JSON.stringify(whole));
  }

  #complete(item: Item, [key, kind]: readonly [string, Part['kind']], whole: string): void {
    const part = partOf(item, key, kind);
    const rest = part.piece.rest(whole) ?? (isSame(part.piece.text, whole) ? '' : undefined);
    if (rest === undefined) throw this.#broken('Its pieces do not add up to what it says it said.');
    if (rest === '') return;
    if (kind === 'call') this.#pushCall(item, part, rest);
    else this.#push(item, part, rest);
  }

  /** The first increment of a block says whose it is. */
  #push(item: Item, part: Part, text: string): void {
    const { index, kind } = part;
    if (index !== undefined) return void this.#increments.push(kind === 'thinking' ? { type: 'thinking', index, thinking: text } : { type: 'text', index, text });
    const common = { index: (part.index = this.#next++), ...this.#firstMetadata(item, part) };
    this.#increments.push(kind === 'thinking' ? { type: 'thinking', thinking: text, ...common } : { type: 'text', text, ...common });
  }

  #firstMetadata({ id, phase }: Item, { kind }: Part): { metadata?: NonNullable<Increment['metadata']> } {
    if (kind === 'refusal') return { metadata: { refusal: true } };
    return itemMetadata(kind === 'thinking' ? { id } : { phase }, this.#facts.modelName);
  }

  /** Before the name is known nothing is said: the pieces are kept, and said with it. */
  #pushCall(item: Item, part: Part, text: string): void {
    const { index } = part;
    if (index === undefined) this.#tryCall(item);
    else this.#increments.push({ type: 'tool_use', index, id: item.callId ?? '', content: text });
  }

  #tryCall(item: Item): void {
    const part = partOf(item, 'call', 'call');
    if (item.name === undefined || part.index !== undefined) return;
    part.index = this.#next++;
    item.callId ??= newId();
    this.#calls++;
    this.#increments.push({ type: 'tool_use', index: part.index, id: item.callId, name: this.#facts.names.fromWire(item.name), content: part.piece.text });
  }

  #broken(what: string): Error {
    return brokenAnswer(this.#facts, what);
  }
}

function partOf(item: Item, key: string, kind: Part['kind']): Part {
  let part = item.parts.get(key);
  if (part === undefined) item.parts.set(key, (part = { piece: new Piece(), kind, index: undefined }));
  return part;
}

/** Space around a text, and the spelling of JSON, are no difference: gateways write both anew. */
function isSame(said: string, whole: string): boolean {
  if (said.trim() === whole.trim()) return true;
  const [first, second] = [parseObject(said), parseObject(whole)];
  return first !== undefined && second !== undefined && canonicalJson(first) === canonicalJson(second);
}

/** Which part of its item an event is about. */
function placeOf({ content_index: content, summary_index: summary }: Record<string, unknown>, type: string): readonly [string, Kind] {
  const n = (value: unknown): number => (typeof value === 'number' ? value : 0);
  if (type.startsWith('response.output_text')) return [`text:${n(content)}`, 'text'];
  if (type.startsWith('response.refusal')) return [`refusal:${n(content)}`, 'refusal'];
  return type.startsWith('response.reasoning_text') ? [`thought:${n(content)}`, 'thinking'] : [`summary:${n(summary)}`, 'thinking'];
}

function listIn(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((part: unknown) => (isObject(part) ? part : {})) : [];
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
