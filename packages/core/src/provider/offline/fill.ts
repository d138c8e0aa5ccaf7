import type { JsonObject, JsonSchema, JsonValue } from '../../internal/index.ts';
import { fieldsOf } from './fields.ts';
import type { Field, FieldKind } from './fields.ts';
import { dated, enumCandidates, isText, listCandidates, namedCandidates, numberCandidates, patternCandidates, properCandidates, unknownPlaces } from './candidates.ts';
import type { Filling, Source } from './candidates.ts';
import { Reading } from './reading.ts';
import type { ValueKind } from './values.ts';
import { likeness, stem, stemsOf, wordsOf } from './words.ts';

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
  { kinds: ['zone'], candidates: unknownPlaces },
  { kinds: ['expression'], candidates: found('expression') },
  { kinds: ['enum'], candidates: enumCandidates },
  { kinds: ['number'], candidates: numberCandidates },
  { kinds: ['list'], candidates: listCandidates },
  { kinds: TEXTS, candidates: found('quoted') },
  { kinds: ['text', 'word', 'open', 'pattern'], candidates: namedCandidates },
  { kinds: ['place'], candidates: found('place') },
  { kinds: ['place', 'word'], candidates: properCandidates },
  { kinds: ['word'], candidates: found('email', 'url', 'path', 'number') },
  { kinds: ['text', 'open'], candidates: (reading, _field, { fields }) => (fields.filter(isText).length > 1 ? [] : [...reading.free('url'), ...reading.free('path')]) },
];

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
