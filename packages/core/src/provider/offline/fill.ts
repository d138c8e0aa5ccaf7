import type { JsonObject, JsonSchema, JsonValue } from '../../internal/index.ts';
import { fieldsOf } from './fields.ts';
import type { Field, FieldKind } from './fields.ts';
import { Reading } from './reading.ts';
import type { Candidate, ToolStems } from './reading.ts';
import type { FoundValue, ValueKind } from './values.ts';
import { isSmall, likeness, stem, stemsOf, wordsOf } from './words.ts';

/** Arguments found in a text, and the required fields nothing was found for. */
export interface Filled {
  readonly input: JsonObject;
  readonly missing: readonly Field[];
  /** The wish after filling, to see what is left over. */
  readonly reading: Reading;
}

/** Fills the arguments of a tool from a text: values with a shape first, the rest of the sentence for a free text last. */
export function fillArguments(text: string, tool: { readonly name: string; readonly description: string; readonly inputSchema: JsonSchema }): Filled {
  const filling: Filling = { reading: new Reading(text), fields: fieldsOf(tool.inputSchema), values: new Map(), toolStems: { name: new Set(stemsOf(tool.name)), all: new Set(stemsOf(`${tool.name} ${tool.description}`)) } };
  for (const { kinds, candidates } of STAGES) assign(filling, kinds, candidates);
  fillBooleans(filling);
  fillRest(filling);
  const { fields, values, reading } = filling;
  return { input: nested(values), missing: fields.filter((field) => field.required && !values.has(field)), reading };
}

interface Filling {
  readonly reading: Reading;
  readonly fields: readonly Field[];
  readonly values: Map<Field, JsonValue>;
  readonly toolStems: ToolStems;
}
type Source = (reading: Reading, field: Field, filling: Filling) => readonly Candidate[];
interface Stage {
  readonly kinds: readonly FieldKind[];
  readonly candidates: Source;
}

const found = (...kinds: readonly ValueKind[]): Source => (reading) => kinds.flatMap((kind) => reading.free(kind));
const TEXTS: readonly FieldKind[] = ['text', 'word', 'open', 'place', 'path', 'expression', 'pattern'];

const STAGES: readonly Stage[] = [
  { kinds: ['pattern'], candidates: patternCandidates },
  { kinds: ['url'], candidates: found('url') },
  { kinds: ['email'], candidates: found('email') },
  { kinds: ['path'], candidates: found('path') },
  { kinds: ['date'], candidates: (reading, field) => reading.free('date').map((value) => dated(value, field.schema)) },
  { kinds: ['time'], candidates: found('time') },
  { kinds: ['zone'], candidates: found('zone') },
  { kinds: ['expression'], candidates: found('expression') },
  { kinds: ['enum'], candidates: enumCandidates },
  { kinds: ['number'], candidates: numberCandidates },
  { kinds: ['list'], candidates: listCandidates },
  { kinds: TEXTS, candidates: found('quoted') },
  { kinds: ['text', 'word', 'open', 'pattern'], candidates: namedCandidates },
  { kinds: ['place'], candidates: found('place') },
  { kinds: ['place', 'word'], candidates: properCandidates },
  { kinds: ['word'], candidates: found('email', 'url', 'path', 'number') },
  { kinds: ['text', 'open'], candidates: (reading, field, { fields }) => (fields.filter(isText).length > 1 ? [] : found('url', 'path')(reading, field, NO_FILLING)) },
];
const NO_FILLING: Filling = { reading: new Reading(''), fields: [], values: new Map(), toolStems: { name: new Set(), all: new Set() } };

function isText({ kind }: Field): boolean {
  return kind === 'text' || kind === 'open';
}

/** Pairs fields and candidates of one stage, the clearest pair first; an optional field needs a sign that it is meant, or to be the only one. */
function assign(filling: Filling, kinds: readonly FieldKind[], candidatesOf: Source): void {
  const { reading, fields, values } = filling;
  const open = fields.filter((field) => kinds.includes(field.kind) && !values.has(field));
  const isOnly = open.length === 1;
  const pairs = open.flatMap((field, order) => candidatesOf(reading, field, filling).map((candidate) => ({ field, candidate, order, score: reading.nearness(field, candidate) })));
  const usable = pairs.filter(({ field, score }) => field.required || score > 0 || (isOnly && field.kind !== 'text' && field.kind !== 'word'));
  // Where a quotation could be several things, it is most likely the text.
  const worth = ({ field, score }: (typeof pairs)[number]): number => score + (isText(field) ? 0.6 : 0) + (field.required ? 0.1 : 0);
  for (const { field, candidate } of usable.toSorted((a, b) => worth(b) - worth(a) || a.order - b.order || a.candidate.start - b.candidate.start)) {
    if (values.has(field) || !reading.isFree(candidate)) continue;
    values.set(field, asString(field, candidate.value) as JsonValue);
    reading.use(candidate, field);
  }
}

function asString({ schema }: Field, value: unknown): unknown {
  return schema.type === 'string' && typeof value === 'number' ? String(value) : value;
}

function dated(date: FoundValue, { format }: JsonSchema): Candidate {
  return { ...date, value: format === 'date-time' ? `${date.value}T00:00:00Z` : date.value };
}

function patternCandidates(reading: Reading, { schema }: Field): readonly Candidate[] {
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
function enumCandidates(reading: Reading, { schema, required }: Field): readonly Candidate[] {
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

function numberCandidates(reading: Reading, { schema }: Field): readonly Candidate[] {
  return reading.free('number').filter(({ value }) => {
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema as { minimum?: number; maximum?: number };
    return typeof value === 'number' && value >= minimum && value <= maximum && (schema.type !== 'integer' || Number.isInteger(value));
  });
}

/** One candidate: all values of the items' kind together. */
function listCandidates(reading: Reading, { schema, nameStems }: Field, { fields }: Filling): readonly Candidate[] {
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
function namedCandidates(reading: Reading, field: Field, { fields, toolStems }: Filling): readonly Candidate[] {
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
function properCandidates(reading: Reading, field: Field, { fields }: Filling): readonly Candidate[] {
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

/** True where the text names it, false where it denies it; a required one nobody mentions is false. */
function fillBooleans({ fields, values, reading }: Filling): void {
  for (const field of fields) {
    if (field.kind !== 'boolean' || values.has(field)) continue;
    const words = wordsOf(reading.text);
    const own = field.nameStems.filter((name) => !['is', 'includ', 'with', 'enabl', 'should', 'show', 'allow'].includes(name));
    const at = words.findIndex((word) => own.length > 0 && own.at(-1) !== undefined && likeness(own.at(-1) ?? '', stem(word)) === 1);
    const isNamed = at >= 0 && own.every((name) => words.some((word) => stem(word) === name));
    if (isNamed) values.set(field, !isDenied(words, at));
    else if (field.required) values.set(field, false);
  }
}

function isDenied(words: readonly string[], at: number): boolean {
  const before = words.slice(Math.max(0, at - 3), at);
  const after = words.slice(at + 1, at + 3);
  return before.some((word) => ['no', 'not', 'without', 'dont', 'don', 'non', 'never', 'disable', 'skip'].includes(word)) || after.some((word) => ['off', 'false', 'no'].includes(word));
}

/** The free text: the rest of the sentence, for the first text field that is still required; a lone expression or word field takes a short rest. */
function fillRest({ fields, values, reading, toolStems }: Filling): void {
  const open = fields.filter((field) => field.required && !values.has(field));
  const field = open.find(isText) ?? open.find(({ kind }) => kind === 'word' || kind === 'list');
  const rest = field === undefined ? undefined : reading.rest(toolStems);
  if (field === undefined || rest === undefined) return;
  const short = String(rest.value).split(/\s+/).length <= 3;
  if (field.kind === 'list') {
    const items = typeof field.schema.items === 'object' ? field.schema.items : {};
    if (items.type === 'string' && items.enum === undefined) values.set(field, [rest.value as string]);
  } else if (isText(field) || short) values.set(field, rest.value as string);
}

function nested(values: ReadonlyMap<Field, JsonValue>): JsonObject {
  const input: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [{ path }, value] of values) {
    let at = input;
    for (const name of path.slice(0, -1)) at = (at[name] ??= Object.create(null)) as Record<string, unknown>;
    at[path.at(-1) ?? ''] = value;
  }
  return input as JsonObject;
}
