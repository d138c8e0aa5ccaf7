import type { Field } from './fields.ts';
import { findValues, overlaps } from './values.ts';
import type { FoundValue, ValueKind } from './values.ts';
import { isSmall, likeness, stem, wordsOf } from './words.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}
export interface Candidate extends Span {
  readonly value: unknown;
}

const LITERAL: ReadonlySet<ValueKind> = new Set(['quoted', 'url', 'email', 'path']);

/** What a tool calls itself: the words of its name, and those of its description too. */
export interface ToolStems {
  readonly name: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

/** A wish being read: what it mentions, and what has been used for an argument already. */
export class Reading {
  readonly text: string;
  readonly #values: readonly FoundValue[];
  readonly #used: Span[] = [];

  constructor(text: string) {
    this.text = text;
    this.#values = findValues(text);
  }

  has(kind: ValueKind): boolean {
    return this.#values.some((value) => value.kind === kind);
  }

  /** Values of a kind that nothing has used, from left to right. */
  free(kind: ValueKind): readonly FoundValue[] {
    return this.#values.filter((value) => value.kind === kind && this.isFree(value));
  }

  /** The text without quotations, addresses and paths: what is said, not what is named. */
  plainText(): string {
    let plain = this.text;
    for (const { kind, start, end } of this.#values) if (LITERAL.has(kind)) plain = plain.slice(0, start) + ' '.repeat(end - start) + plain.slice(end);
    return plain;
  }

  /** Whether a span touches a quotation, an address or a path: those are values as a whole. */
  isLiteral(span: Span): boolean {
    return this.#values.some((value) => LITERAL.has(value.kind) && overlaps(value, span));
  }

  /** Single words with their place, small words and used ones left out. */
  words(): readonly (Candidate & { readonly value: string })[] {
    return Array.from(this.text.matchAll(/(?<![\p{L}\p{N}])[+#@]?[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}_#.@-]*/gu), (match) => {
      const value = match[0].replace(/[.@-]+$/, '');
      return { value, start: match.index, end: match.index + value.length };
    }).filter((word) => !isSmall(word.value) && this.isFree(word));
  }

  isFree(span: Span): boolean {
    return !this.#used.some((used) => overlaps(used, span));
  }

  /** Where the first thing that was used stands. */
  get firstUsed(): number {
    return Math.min(this.text.length, ...this.#used.map(({ start }) => start));
  }

  /** Whether nothing but a joint ("and in") stands between a word and a place before it. */
  followsPlace(start: number): boolean {
    const places = [...this.#used, ...this.#values.filter(({ kind }) => kind === 'place' || kind === 'zone')];
    return places.some(({ end }) => end <= start && /^(?:\s*,)?\s*(?:and|or)?\s*(?:in\s+)?$/i.test(this.text.slice(end, start)));
  }

  /** Arithmetic that could not be read, as it is written: nothing asked for is passed over in silence. */
  unreadArithmetic(): readonly string[] {
    let rest = this.text;
    for (const { kind, start, end } of this.#values) if (kind !== 'number' && kind !== 'place' && kind !== 'zone') rest = rest.slice(0, start) + '\u0001'.repeat(end - start) + rest.slice(end);
    return Array.from(rest.matchAll(ARITHMETIC), ([written]) => written.trim());
  }

  /** Marks a span as used, with the name of the field when that stands right behind it ("high priority"). */
  use({ start, end }: Span, field?: Field): void {
    const next = /^\s+([\p{L}\p{N}]+)/u.exec(this.text.slice(end, end + 40));
    const isNamed = next?.[1] !== undefined && field?.nameStems.includes(stem(next[1].toLowerCase())) === true;
    this.#used.push({ start, end: isNamed ? end + next[0].length : end });
  }

  /** How clearly the text around a value says that it is meant for a field. */
  nearness(field: Field, { start, end }: Span): number {
    const before = wordsOf(this.text.slice(Math.max(0, start - 60), start)).slice(-4).toReversed();
    const after = wordsOf(this.text.slice(end, end + 40)).slice(0, 2);
    const near = [...before.map((word, index) => [word, index] as const), ...after.map((word, index) => [word, index] as const)];
    const named = near.map(([word, distance]) => {
      const own = stem(word);
      if (field.nameStems.some((other) => likeness(other, own) > 0)) return 3 - distance * 0.5;
      return !isSmall(word) && field.descriptionStems.includes(own) ? 1 - distance * 0.2 : 0;
    });
    return Math.max(0, ...named) + roleScore(field, before[0]);
  }

  /** What is left when used parts, with the preposition before them, polite words and the words that name the tool are gone. */
  rest({ name: toolStems, all }: ToolStems): Candidate | undefined {
    const colon = /(?<=[\p{L}\p{N}"”']):\s+/u.exec(this.text);
    const from = colon === null ? 0 : colon.index + colon[0].length;
    const used = this.#used.filter(({ start }) => start >= from).toSorted((a, b) => a.start - b.start);
    const cuts = [...used, { start: this.text.length, end: this.text.length }];
    let at = from;
    const pieces = cuts.map(({ start, end }) => {
      const piece = this.text.slice(at, Math.max(at, start));
      at = Math.max(at, end);
      return end > start ? piece.replace(/[\s,(]*(?:\b(?:in|to|from|at|for|on|with|into|as|of|by|the|and|is|near|=|:)\s*)*["'“]?$/i, '') : piece;
    });
    const left = pieces.map((piece) => piece.trim()).filter(Boolean).join(' ');
    const value = trimmed(colon === null ? withoutClosing(withoutSubject(withoutOpening(left, toolStems), all), all) : left);
    return value === '' ? undefined : { value, start: from, end: this.text.length };
  }
}

/** Numbers with signs between them, or a percent sign behind. */
const ARITHMETIC = /(?<![\p{L}\p{N}_.])\d[\d.,]*(?:\s*[-+*/^%&|<>=~×÷·−]+\s*[\d(][\d.,()]*)+|(?<![\p{L}\p{N}_.])\d[\d.,]*\s?%/gu;

function roleScore({ role }: Field, preposition: string | undefined): number {
  if (role === undefined || preposition === undefined) return 0;
  const said = ['from', 'since', 'of'].includes(preposition) ? 'source' : ['to', 'into', 'in', 'until', 'till', 'as', 'towards', 'many', 'much'].includes(preposition) ? 'target' : undefined;
  if (said === undefined) return 0;
  return said === role ? 2.5 : -2.5;
}

/** Drops polite words, the verb and noun the tool is named by, and the small words between them. */
function withoutOpening(text: string, toolStems: ReadonlySet<string>): string {
  const words = text.split(/\s+/);
  let first = 0;
  for (; first < words.length; first++) {
    const bare = wordsOf(words[first] ?? '');
    if (SAYING.has(bare[0] ?? '')) return words.slice(first + 1).join(' ');
    const named = bare.some((word) => [...toolStems].some((other) => likeness(other, stem(word)) > 0));
    if (!named && !bare.every((word) => isSmall(word) || LEADING.has(word))) break;
  }
  return words.slice(first).join(' ');
}

/** Drops "encyclopedia summary of" at the start, when it only repeats what the tool is about. */
function withoutSubject(text: string, stems: ReadonlySet<string>): string {
  const head = /^(\S+(?:\s+\S+){0,3}?)\s+(?:of|about|for|on)\s+(\S.*)$/su.exec(text);
  const repeats = head?.[1] !== undefined && wordsOf(head[1]).every((word) => isSmall(word) || stems.has(stem(word)));
  return repeats ? (head[2] ?? text) : text;
}

/** Drops "to my list" at the end, when it only repeats what the tool is about. */
function withoutClosing(text: string, stems: ReadonlySet<string>): string {
  const tail = /^(.*\S)\s+(?:to|in|into|on|from|of|with)\s+(?:my|the|our|a)\s+([^.,;]+?)[\s.?!]*$/isu.exec(text);
  const repeats = tail?.[2] !== undefined && wordsOf(tail[2]).every((word) => isSmall(word) || stems.has(stem(word)));
  return repeats ? (tail[1] ?? text) : text;
}
/** What follows these is to be kept as it is. */
const SAYING = new Set(['saying', 'says']);
const LEADING = new Set(['hey', 'hello', 'hi', 'kindly', 'about', 'say', 'called', 'named', 'titled', 'up', 'out', 'over', 'know', 'information', 'info']);

function trimmed(text: string): string {
  return text.replace(/^[\s,.:;"'“-]+|[\s,.:;?!"'”-]+$/g, '');
}
