import type { SchemaNode } from '../../formatter/index.ts';
import { isObject } from '../../internal/index.ts';
import type { JsonSchema } from '../../internal/index.ts';
import { inlineRefs } from './inline-refs.ts';

/**
 * The schema in Gemini's subset of OpenAPI: references are put in place, every node has one type (or a choice of such), null is
 * `nullable`, what the subset cannot say stands in the description. Nothing where an object without properties is left: Gemini takes none.
 */
export function toGeminiSchema(schema: JsonSchema): SchemaNode | undefined {
  const inlined = inlineRefs(schema, KEYWORDS);
  const node = toNode(SAYS_WHAT.some((keyword) => inlined[keyword] !== undefined) ? inlined : { ...inlined, type: 'object' });
  return node['type'] === 'object' && node['properties'] === undefined ? undefined : node;
}

/** What stays, and what is said in other words here. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'type', 'format', 'title', 'description', 'nullable', 'enum', 'items', 'minItems', 'maxItems', 'properties', 'required', 'anyOf', 'minimum', 'maximum',
  'minLength', 'maxLength', 'pattern', 'propertyOrdering', 'default', 'example',
  'const', 'oneOf', 'allOf', 'prefixItems',
]);

const SAYS_WHAT = ['type', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'items', 'prefixItems'];

function toNode(schema: unknown): SchemaNode {
  const { const: only, oneOf, anyOf = oneOf, allOf: _merged, prefixItems, ...rest } = merged(isObject(schema) ? schema : {});
  const node: SchemaNode = rest;
  if (only !== undefined) node['enum'] = [only];
  if (prefixItems !== undefined && node['items'] === undefined) node['items'] = prefixItems;
  const choices = choicesOf(node, anyOf);
  return choices === undefined ? single(node) : chosen(node, choices);
}

/** All parts of `allOf` as one node; what stands beside them wins, properties and required names add up. */
function merged(schema: SchemaNode): SchemaNode {
  const { allOf } = schema;
  if (!Array.isArray(allOf)) return schema;
  return [...allOf.map((part: unknown) => merged(isObject(part) ? part : {})), { ...schema, allOf: undefined }].reduce<SchemaNode>((all, part) => {
    const both: SchemaNode = { ...all, ...defined(part) };
    if (isObject(all['properties']) && isObject(part['properties'])) both['properties'] = { ...all['properties'], ...part['properties'] };
    if (Array.isArray(all['required']) && Array.isArray(part['required'])) both['required'] = [...new Set([...all['required'], ...part['required']])];
    return both;
  }, {});
}

function defined(node: SchemaNode): SchemaNode {
  return Object.fromEntries(Object.entries(node).filter(([, value]) => value !== undefined));
}

/** The forms a value may have, where there are several: of a choice, or of a list of types. */
function choicesOf(node: SchemaNode, anyOf: unknown): readonly SchemaNode[] | undefined {
  if (Array.isArray(anyOf) && anyOf.length > 0) return anyOf.map((part: unknown) => (isObject(part) ? part : {}));
  const { type, description: _description, title: _title, default: _default, nullable: _nullable, ...rest } = node;
  return Array.isArray(type) ? type.map((one: unknown) => ({ ...rest, type: one })) : undefined;
}

/** Null leaves the choice; a choice of one is no choice. */
function chosen({ anyOf: _anyOf, ...outer }: SchemaNode, choices: readonly SchemaNode[]): SchemaNode {
  const real = choices.filter((choice) => !isNull(choice));
  const nullable = real.length < choices.length || outer['nullable'] === true ? { nullable: true } : {};
  const { description, title, default: value } = outer;
  const said = defined({ title, description, default: value });
  const [first] = real;
  if (first === undefined) return { ...said, type: 'string', nullable: true };
  if (real.length === 1) return { ...toNode({ ...outer, ...defined(first), type: first['type'] ?? (isOneType(outer['type']) ? outer['type'] : undefined) }), ...said, ...nullable };
  return { ...said, ...nullable, anyOf: real.map((choice) => toNode(withOuter(outer, choice))) };
}

/** Properties that stand beside a choice belong to each of its forms. */
function withOuter({ properties, required }: SchemaNode, choice: SchemaNode): SchemaNode {
  if (!isObject(properties) || choice['type'] !== 'object') return choice;
  return merged({ allOf: [{ properties, ...(required === undefined ? {} : { required }) }, choice] });
}

function isOneType(type: unknown): boolean {
  return typeof type === 'string';
}

function isNull(choice: SchemaNode): boolean {
  const values = choice['const'] === null ? [null] : choice['enum'];
  return choice['type'] === 'null' || (Array.isArray(values) && values.length > 0 && values.every((value) => value === null));
}

function single(node: SchemaNode): SchemaNode {
  if (isNull(node)) return defined({ description: node['description'], type: 'string', nullable: true });
  const type = typeof node['type'] === 'string' ? node['type'] : typeFrom(node);
  const { enum: values, format, properties, required, items, minItems, maxItems, propertyOrdering, ...rest } = node;
  const list = Array.isArray(values) ? values : undefined;
  return defined({
    ...only(rest, type),
    type,
    description: described(node, type, list),
    ...(list?.includes(null) === true ? { nullable: true } : {}),
    enum: type === 'string' ? strings(list) : undefined,
    format: typeof format === 'string' && FORMATS.get(type)?.includes(format) === true ? format : undefined,
    ...(type === 'object' ? objectFields({ properties, required, propertyOrdering }) : {}),
    ...(type === 'array' ? { items: itemsOf(items), minItems, maxItems } : {}),
  });
}

/** What no type says, the values or the other words do; what says nothing is text. */
function typeFrom(node: SchemaNode): string {
  if (isObject(node['properties'])) return 'object';
  if (node['items'] !== undefined) return 'array';
  const values = Array.isArray(node['enum']) ? (node['enum'] as unknown[]).filter((value) => value !== null) : [];
  if (values.length > 0 && values.every((value) => typeof value === 'number')) return values.every(Number.isInteger) ? 'integer' : 'number';
  if (values.length > 0 && values.every((value) => typeof value === 'boolean')) return 'boolean';
  return node['minimum'] !== undefined || node['maximum'] !== undefined ? 'number' : 'string';
}

/** Limits only on the type they belong to. */
function only(node: SchemaNode, type: string): SchemaNode {
  const { minimum, maximum, minLength, maxLength, pattern, ...rest } = node;
  if (type === 'string') return { ...rest, minLength, maxLength, pattern };
  return type === 'integer' || type === 'number' ? { ...rest, minimum, maximum } : rest;
}

function objectFields({ properties, required, propertyOrdering }: SchemaNode): SchemaNode {
  const known = isObject(properties) ? Object.entries(properties).filter(([, field]) => isObject(field)) : [];
  if (known.length === 0) return {};
  const names = new Set(known.map(([name]) => name));
  const listed = (value: unknown): readonly unknown[] | undefined => {
    const list = Array.isArray(value) ? value.filter((name: unknown) => names.has(String(name))) : [];
    return list.length === 0 ? undefined : [...new Set(list)];
  };
  return { properties: Object.fromEntries(known.map(([name, field]) => [name, toNode(field)])), required: listed(required), propertyOrdering: listed(propertyOrdering) };
}

/** A list of forms, one per place, becomes a choice. */
function itemsOf(items: unknown): SchemaNode {
  if (!Array.isArray(items)) return toNode(items);
  const forms = [...new Map(items.map((item: unknown) => [JSON.stringify(item), item])).values()];
  return forms.length === 1 ? toNode(forms[0]) : toNode({ anyOf: forms });
}

/** Values of an `enum` are texts; numbers are said in words. */
function strings(values: readonly unknown[] | undefined): readonly string[] | undefined {
  const texts = values?.filter((value) => value !== null).map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).filter((text) => text !== '');
  return texts === undefined || texts.length === 0 ? undefined : [...new Set(texts)];
}

function described({ description, format }: SchemaNode, type: string, values: readonly unknown[] | undefined): string | undefined {
  const lost: string[] = typeof description === 'string' && description !== '' ? [description] : [];
  if (values !== undefined && values.length > 0 && type !== 'string') lost.push(`One of: ${values.map((value) => JSON.stringify(value)).join(', ')}.`);
  if (typeof format === 'string' && FORMATS.get(type)?.includes(format) !== true) lost.push(`Format: ${format}.`);
  return lost.length === 0 ? undefined : lost.join(' ');
}

/** The only ones Gemini takes. */
const FORMATS: ReadonlyMap<string, readonly string[]> = new Map([
  ['string', ['enum', 'date-time']],
  ['integer', ['int32', 'int64']],
  ['number', ['float', 'double']],
]);
