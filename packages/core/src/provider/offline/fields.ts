import { isObject } from '../../internal/index.ts';
import type { JsonSchema } from '../../internal/index.ts';
import { stemsOf, wordsOf } from './words.ts';

export type FieldKind = 'pattern' | 'enum' | 'url' | 'email' | 'path' | 'date' | 'time' | 'zone' | 'expression' | 'number' | 'list' | 'boolean' | 'place' | 'word' | 'text' | 'open';

/** One argument to be found in a text; members of nested objects have a path of several names. */
export interface Field {
  readonly path: readonly string[];
  readonly schema: JsonSchema;
  readonly kind: FieldKind;
  /** It and all that it lies in have to be there, and no default stands in for it. */
  readonly required: boolean;
  readonly nameStems: readonly string[];
  readonly descriptionStems: readonly string[];
  /** Whether the value comes from something or goes to something, as its name says. */
  readonly role: 'source' | 'target' | undefined;
}

const DEEPEST = 4;

/** The fields of a tool's arguments, nested objects opened up. */
export function fieldsOf(root: JsonSchema): readonly Field[] {
  return membersOf(root, { root, path: [], required: true });
}

interface Place {
  readonly root: JsonSchema;
  readonly path: readonly string[];
  readonly required: boolean;
}

function membersOf(schema: JsonSchema, { root, path, required }: Place): readonly Field[] {
  const needed = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(isObject(schema.properties) ? schema.properties : {}).flatMap(([name, member]) => {
    const place = { root, path: [...path, name], required: required && needed.includes(name) && !(isObject(member) && 'default' in member) };
    const own = plainForm(member, root);
    const isBranch = own.properties !== undefined && Object.keys(own.properties).length > 0 && path.length < DEEPEST;
    return isBranch ? membersOf(own, place) : [fieldOf(own, place)];
  });
}

function fieldOf(schema: JsonSchema, { path, required }: Place): Field {
  const name = path.at(-1) ?? '';
  const description = typeof schema.description === 'string' ? schema.description : '';
  return { path, schema, required, kind: kindOf(name, description, schema), nameStems: stemsOf(name), descriptionStems: stemsOf(description), role: roleOf(wordsOf(name)) };
}

/** References followed, and of a choice the first form that is not null; the description outside stays. */
function plainForm(schema: unknown, root: JsonSchema, depth = 0): JsonSchema {
  if (!isObject(schema)) return {};
  if (depth > 8) return schema as JsonSchema;
  const choices = [schema['anyOf'], schema['oneOf'], schema['allOf']].find((list) => Array.isArray(list)) as readonly unknown[] | undefined;
  const inner = referred(schema['$ref'], root) ?? choices?.find((choice) => isObject(choice) && choice['type'] !== 'null');
  if (inner === undefined) return schema as JsonSchema;
  const form = plainForm(inner, root, depth + 1);
  return typeof schema['description'] === 'string' ? { ...form, description: schema['description'] } : form;
}

function referred(reference: unknown, root: JsonSchema): unknown {
  const name = typeof reference === 'string' ? /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) : null;
  const definitions = name === null ? undefined : root[name[1] ?? ''];
  return isObject(definitions) ? definitions[name?.[2] ?? ''] : undefined;
}

function kindOf(name: string, description: string, schema: JsonSchema): FieldKind {
  const type = Array.isArray(schema.type) ? (schema.type as readonly string[]).find((one) => one !== 'null') : schema.type;
  if (Array.isArray(schema.enum) || 'const' in schema) return 'enum';
  if (type === 'boolean') return 'boolean';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'array') return 'list';
  if (type !== 'string') return 'open';
  return stringKind(wordsOf(name).join(' '), description.toLowerCase(), schema);
}

/** By format, then by the words of the name, then by those of the description; the first line that fits wins. */
function stringKind(name: string, description: string, { format, pattern }: JsonSchema): FieldKind {
  if (format === 'date' || format === 'date-time') return 'date';
  if (format === 'time') return 'time';
  if (format === 'email') return 'email';
  if (format === 'uri' || format === 'url') return 'url';
  const [named] = KINDS.filter(([, words]) => words.test(name));
  const [described] = KINDS.filter(([kind, words]) => STRONG.has(kind) && words.test(description));
  const kind = named !== undefined && (STRONG.has(named[0]) || described === undefined) ? named[0] : (described?.[0] ?? named?.[0]);
  if (kind === undefined || !STRONG.has(kind)) return typeof pattern === 'string' ? 'pattern' : (kind ?? (TIME.test(description) ? 'time' : WORD.test(description) ? 'word' : 'text'));
  return kind;
}

const KINDS: readonly (readonly [FieldKind, RegExp])[] = [
  ['zone', /\b(time ?zones?|tz|iana|zone)\b/],
  ['expression', /\b(expressions?|expr|formula|arithmetic|equation|calculation)\b/],
  ['email', /\be ?-?mail( address)?\b/],
  ['url', /\b(urls?|uri|link|web ?(page|site) address)\b/],
  ['path', /\b(paths?|file ?names?|files?|folders?|director(y|ies)|glob)\b/],
  ['date', /\b(dates?|day|yyyy-mm-dd|iso 8601|deadline|birthday|check (in|out))\b/],
  ['place', /\b(city|cities|place|location|town|country|airport|region|destination|origin|address|capital|where|room)\b/],
  ['text', /\b(text|message|body|content|note|query|question|prompt|topic|subject|title|description|reason|sentence|phrase|task|todo|search|keywords?|words|comment)\b/],
  ['time', /\b(time|hour|clock|at|when)\b/],
  ['word', /\b(name|id|code|language|lang|currency|symbol|ticker|unit|user|username|colou?r|tag|key|branch|status|category|genre|artist|author|animal|person|recipient|contact|word|item|product|number|from|to|source|target|repo|repository|server|host|device|song|movie|book|team|channel|package|file type|breed|brand)\b/],
];
/** Kinds whose values have a shape of their own, so that a description may decide for them. */
const STRONG: ReadonlySet<FieldKind> = new Set(['zone', 'expression', 'email', 'url', 'path', 'date', 'place']);
const TIME = /^(the |a |an )?(\w+ )?time\b(?! ?zone)/;
const WORD = /^(the |a |an )?(\w+ ){0,2}(name|id|identifier|code|symbol|ticker|username|language|currency)\b/;

function roleOf(words: readonly string[]): Field['role'] {
  if (words.some((word) => ['from', 'origin', 'source', 'start', 'begin', 'departure', 'since', 'in', 'src', 'old'].includes(word))) return 'source';
  return words.some((word) => ['to', 'into', 'target', 'destination', 'end', 'until', 'arrival', 'recipient', 'dest', 'out', 'new'].includes(word)) ? 'target' : undefined;
}
