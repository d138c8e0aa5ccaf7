import type { JsonSchema, JsonValue } from '../../internal/index.ts';
import type { Field } from './fields.ts';
import type { Candidate, Reading, ToolStems } from './reading.ts';
import type { FoundValue, ValueKind } from './values.ts';
import { isSmall, likeness, stem, wordsOf } from './words.ts';

/** Arguments being filled: what is read, and what has been found. */
export interface Filling {
  readonly reading: Reading;
  readonly fields: readonly Field[];
  readonly values: Map<Field, JsonValue>;
  readonly toolStems: ToolStems;
}
/** Where the values of one kind of field can come from. */
export type Source = (reading: Reading, field: Field, filling: Filling) => readonly Candidate[];
export function isText({ kind }: Field): boolean {
  return kind === 'text' || kind === 'open';
}

export function dated(date: FoundValue, { format }: JsonSchema): Candidate {
  return { ...date, value: format === 'date-time' ? `${date.value}T00:00:00Z` : date.value };
}

export function patternCandidates(reading: Reading, { schema }: Field): readonly Candidate[] {
  const pattern = compiled(schema['pattern']);
  return pattern === undefined ? [] : [...reading.free('quoted'), ...reading.words()].filter(({ value }) => pattern.test(String(value).slice(0, 100)));
}

function compiled(pattern: unknown): RegExp | undefined {
  try {
    return typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
  } catch {
    return undefined; // the pattern of somebody's schema; the tool itself will say so
  }
}

/** The words of the text that are, or mean, one of the allowed values. A single allowed value needs no word. */
export function enumCandidates(reading: Reading, { schema, required }: Field): readonly Candidate[] {
  const allowed: readonly unknown[] = Array.isArray(schema.enum) ? schema.enum : [schema.const];
  if (allowed.length === 1 && required) return [{ value: allowed[0], start: 0, end: 0 }];
  return Array.from(reading.text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)).flatMap((match) => {
    const span = { start: match.index, end: match.index + match[0].length };
    return allowed.map((value) => ({ value, ...span, like: sameWord(String(value), match[0], reading.text.slice(match.index)) })).filter(({ like }) => like);
  });
}

function sameWord(allowed: string, word: string, ahead: string): boolean {
  const lower = allowed.toLowerCase();
  if (lower.length > 2 && /[^a-z0-9]/.test(lower)) return ahead.toLowerCase().replaceAll(/[\s_-]+/g, ' ').startsWith(lower.replaceAll(/[\s_-]+/g, ' '));
  const said = word.toLowerCase();
  if (said === lower) return said.length > 2 || word === allowed || !/^(?:in|to|is|at|on|of|me|it|as|or|no|do|i|a|m|s|t)$/.test(said);
  return said.length > 2 && likeness(stem(lower), stem(said)) > 0;
}

export function numberCandidates(reading: Reading, { schema }: Field): readonly Candidate[] {
  return reading.free('number').filter(({ value }) => {
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema as { minimum?: number; maximum?: number };
    return typeof value === 'number' && value >= minimum && value <= maximum && (schema.type !== 'integer' || Number.isInteger(value));
  });
}

/** One candidate: all values of the items' kind together. */
export function listCandidates(reading: Reading, { schema, nameStems }: Field, { fields }: Filling): readonly Candidate[] {
  const items = typeof schema.items === 'object' ? schema.items : {};
  const isNumeric = items.type === 'number' || items.type === 'integer';
  const kinds: readonly ValueKind[] = isNumeric ? ['number'] : ['quoted', 'email', 'url', 'path'];
  const least = !isNumeric && fields.some((field) => field.required && (isText(field) || field.kind === 'word')) ? 2 : 1; // a single quotation is the text
  const values = kinds.map((kind) => reading.free(kind)).find((list) => list.length >= least) ?? (isNumeric ? [] : wordList(reading, items, nameStems));
  const [first, last] = [values[0], values.at(-1)];
  return first === undefined || last === undefined ? [] : [{ value: values.map(({ value }) => value), start: first.start, end: last.end }];
}

/** `a, b and c`, after a colon or the field's name where there is one. */
function wordList(reading: Reading, items: JsonSchema, nameStems: readonly string[]): readonly Candidate[] {
  const allowed = items.enum?.filter((value) => typeof value === 'string');
  if (allowed !== undefined) return reading.words().flatMap((word) => allowed.filter((value) => sameWord(value, word.value, word.value)).map((value) => ({ ...word, value })));
  const opening = Array.from(reading.text.matchAll(/[\p{L}\p{N}]+:?\s+/gu)).findLast(({ 0: word }) => word.includes(':') || wordsOf(word).some((part) => nameStems.includes(stem(part))));
  const from = opening === undefined ? -1 : opening.index + opening[0].length;
  const list = /(?:[\p{L}\p{N}-]+(?: [\p{L}\p{N}-]+)?\s*,\s*)*[\p{L}\p{N}-]+(?: [\p{L}\p{N}-]+)?,?\s+and\s+[\p{L}\p{N}-]+|(?:[\p{L}\p{N}-]+\s*,\s*)+[\p{L}\p{N}-]+/u;
  const match = list.exec(from < 0 ? reading.text : reading.text.slice(from));
  if (match === null) return [];
  const start = Math.max(from, 0) + match.index;
  const words = match[0].split(/\s*,\s*(?:and\s+)?|\s+and\s+/).map((word, index) => (index === 0 && from < 0 ? (word.split(' ').at(-1) ?? word) : word));
  return words.filter(Boolean).map((value) => ({ value, start, end: start + match[0].length }));
}

/** `title Foo`, `title: Foo`, `with the body "…"`: what follows the name of the field, up to a joint or the next field. */
export function namedCandidates(reading: Reading, field: Field, { fields, toolStems }: Filling): readonly Candidate[] {
  const others = fields.filter((other) => other !== field && (isText(other) || other.kind === 'word'));
  const name = wordsOf(field.path.at(-1) ?? '').join('[ _-]?');
  if (name === '' || (field.kind !== 'word' && others.length === 0 && field.nameStems.every((own) => toolStems.name.has(own)))) return [];
  const ends = isText(field) ? [] : ['[,;]', '\\s+(?:and|with|to|in|for|on|at)\\s'];
  const stops = ['$', ...ends, ...others.map((other) => `[,;]?\\s+(?:(?:and|with|a|the|to)\\s+)*${wordsOf(other.path.at(-1) ?? '').join('[ _-]?')}\\b`)].join('|');
  const isBare = field.kind === 'word' || others.length > 0; // "branch main"; a lone free text needs a clearer sign
  const joint = isBare ? '\\s*(?:[:=]|is\\b|of\\b|called\\b|named\\b|as\\b)?' : '\\s*(?:[:=]|is|called|named)';
  const match = new RegExp(`(?<![\\p{L}\\p{N}])${name}${joint}\\s+(\\S.*?)(?=${stops})`, 'iu').exec(reading.text);
  const value = match?.[1]?.replace(/^["'“]|["'”.?!]+$/g, '') ?? '';
  if (match === null || value === '' || isSmall(wordsOf(value)[0] ?? '')) return [];
  return [{ value, start: match.index, end: match.index + match[0].length }].filter((candidate) => reading.isFree(candidate));
}

/** Names, codes and short words: after a preposition, or written with capitals or digits; not at the start of the sentence. */
export function properCandidates(reading: Reading, field: Field, { fields }: Filling): readonly Candidate[] {
  const { text } = reading;
  const capital = /(?<=[\s"'(]|\b(?:in|to|from|of|for|at|@|#))(?:\p{Lu}[\p{L}\p{M}\p{N}.&'-]*(?: \p{Lu}[\p{L}\p{M}\p{N}.&'-]*)*|(?=[\p{L}-]*\d)[\p{L}\p{N}-]*\p{L}[\p{L}\p{N}-]*)/gu;
  const spans = Array.from(text.matchAll(capital), (match) => ({ value: match[0].replace(/[.'&-]+$|'s$/, ''), start: match.index, end: match.index + match[0].length }));
  const after = Array.from(text.matchAll(/\b(?:in|to|into|from|of|for|at|about|with)\s+(?:the |a |an |user |my )?([\p{L}\p{M}\p{N}_-]+)/giu), (match) => {
    const value = match[1] ?? '';
    const end = match.index + match[0].length;
    return { value, start: end - value.length, end };
  });
  const isNoName = (value: string): boolean => value === '' || value === 'I' || fields.some(({ nameStems }) => nameStems.includes(stem(value.toLowerCase()))) || (field.kind === 'place' && /^\d+$/.test(value));
  return [...spans, ...after].filter((candidate) => reading.isFree(candidate) && !reading.isLiteral(candidate) && !isNoName(candidate.value) && !/^(?:me|it|that|this|you|now|today|tomorrow|and)$/i.test(candidate.value));
}

/**
 * A place or zone nobody here knows ("in Atlantis", "Nowhere/City") goes to the tool as it is, and whole: its refusal is better than
 * the time of somewhere else.
 */
export function unknownPlaces(reading: Reading): readonly Candidate[] {
  return [...shaped(reading.text, ZONE_SHAPE), ...shaped(reading.text, NAMED_PLACE)].filter((candidate) => reading.isFree(candidate));
}

/** Those of them that are meant beside a place that was used: by their shape, or right behind it ("in Tokyo and in Atlantis"). */
export function furtherPlaces(reading: Reading): readonly Candidate[] {
  return [...shaped(reading.text, ZONE_SHAPE), ...shaped(reading.text, NEXT_PLACE).filter(({ start }) => reading.followsPlace(start))].filter((candidate) => reading.isFree(candidate));
}

function shaped(text: string, shape: RegExp): readonly Candidate[] {
  return Array.from(text.matchAll(shape), (match) => {
    const value = match[1] ?? match[0];
    const end = match.index + match[0].length;
    return { value, start: end - value.length, end };
  });
}

/** Written like a name of the tz database: with a capital, or in any case behind a preposition. */
const ZONE_SHAPE = /(?<![\p{L}\p{N}_/.:@-])(?:\b(?:in|for|at|zone) )?((?:\p{Lu}[\p{L}_-]+|(?<=\b(?:in|for|at|zone) )\p{L}[\p{L}_-]+)(?:\/[\p{L}\p{N}_+-]+){1,2})(?![\p{L}\p{N}_/@])/gu;
const NAMED_PLACE = /\b(?:in|for|at) (\p{Lu}[\p{L}\p{M}'-]+(?: \p{Lu}[\p{L}\p{M}'-]+)*)(?![\p{L}\p{M}'/-])/gu;
const NEXT_PLACE = /(?<=[,\s])(?:and|or|,) (?:in )?(\p{Lu}[\p{L}\p{M}'-]+(?: \p{Lu}[\p{L}\p{M}'-]+)*)(?![\p{L}\p{M}'/-])/gu;
