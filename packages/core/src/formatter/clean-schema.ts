import { isObject } from '../internal/index.ts';
import type { JsonSchema } from '../internal/index.ts';

/** A schema while it is cleaned: a fresh object, free to change. */
export type SchemaNode = Record<string, unknown>;

/** What one provider takes of JSON Schema. */
export interface SchemaRules {
  /** Keywords that stay. Default: all. A property is never taken for a keyword, whatever its name. */
  readonly keywords?: ReadonlySet<string>;
  /** Puts what a `$ref` names in its place and drops the definitions. A reference into itself ends in an object without properties after `depth` rounds. Default false. */
  readonly inlineRefs?: boolean;
  /** How often a schema may contain itself when references are inlined. Default 2. */
  readonly depth?: number;
  /** Changes or replaces a node, its children being clean already. */
  readonly node?: (node: SchemaNode, isRoot: boolean) => SchemaNode;
}

/**
 * A copy of the schema in the dialect of one provider; the schema itself stays as it is. The root always has `type: 'object'`, which
 * every provider asks for in a tool. Cost: linear in the result.
 */
export function cleanSchema(schema: JsonSchema, rules: SchemaRules): JsonSchema {
  const cleaned = clean(schema, { rules, root: schema, seen: [] }, true);
  return cleaned as JsonSchema;
}

interface Cleaning {
  readonly rules: SchemaRules;
  readonly root: JsonSchema;
  /** References being resolved, from the root down to here. */
  readonly seen: readonly string[];
}

const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const SINGLES: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'additionalItems', 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties']);

function clean(schema: unknown, cleaning: Cleaning, isRoot: boolean): unknown {
  if (!isObject(schema)) return schema === true ? {} : schema;
  const { rules, seen } = cleaning;
  const reference = schema['$ref'];
  if (rules.inlineRefs === true && typeof reference === 'string') return clean(inlined(schema, reference, cleaning), { ...cleaning, seen: [...seen, reference] }, isRoot);
  const node: SchemaNode = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (rules.keywords !== undefined && !rules.keywords.has(keyword)) continue;
    if (rules.inlineRefs === true && (keyword === '$defs' || keyword === 'definitions')) continue;
    node[keyword] = cleanKeyword(keyword, value, cleaning);
  }
  if (isRoot && node['type'] === undefined && node['$ref'] === undefined) node['type'] = 'object';
  return rules.node === undefined ? node : rules.node(node, isRoot);
}

function cleanKeyword(keyword: string, value: unknown, cleaning: Cleaning): unknown {
  if (MAPS.has(keyword) && isObject(value)) {
    return fromEntries(Object.entries(value).map(([name, field]) => [name, clean(field, cleaning, false)] as const));
  }
  if (LISTS.has(keyword) && Array.isArray(value)) return value.map((part) => clean(part, cleaning, false));
  if (keyword === 'items' && Array.isArray(value)) return value.map((part) => clean(part, cleaning, false));
  if (SINGLES.has(keyword) && isObject(value)) return clean(value, cleaning, false);
  return value;
}

/** `__proto__` becomes a member like any other. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): SchemaNode {
  return Object.fromEntries(entries);
}

/** What a reference names, with what is said beside it on top; an object without properties where that is unknown or went round too often. */
function inlined(schema: Record<string, unknown>, reference: string, { rules, root, seen }: Cleaning): Record<string, unknown> {
  const { $ref: _reference, ...beside } = schema;
  const target = resolveRef(reference, root);
  const rounds = seen.filter((one) => one === reference).length;
  if (target !== undefined && rounds < (rules.depth ?? 2)) return { ...target, ...beside };
  const description = beside['description'] ?? target?.description;
  return { type: 'object', ...(description === undefined ? {} : { description }) };
}

/** A reference into the same schema (`#`, `#/$defs/name`). */
export function resolveRef(reference: string, root: JsonSchema): JsonSchema | undefined {
  if (!reference.startsWith('#')) return undefined;
  let target: unknown = root;
  for (const step of reference.split('/').slice(1)) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    target = isObject(target) && Object.hasOwn(target, name) ? target[name] : undefined;
  }
  return isObject(target) ? (target as JsonSchema) : undefined;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
