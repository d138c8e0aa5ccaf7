import { isObject } from '../internal/index.ts';
import type { JsonSchema } from '../internal/index.ts';

/** A schema while it is cleaned: a fresh object, free to change. */
export type SchemaNode = Record<string, unknown>;

/** What one provider takes of JSON Schema. */
export interface SchemaRules {
  /** Keywords that stay. Default: all. A property is never taken for a keyword, whatever its name. */
  readonly keywords?: ReadonlySet<string>;
  /** Changes or replaces a node, its children being clean already. */
  readonly node?: (node: SchemaNode, isRoot: boolean) => SchemaNode;
}

/**
 * A copy of the schema in the dialect of one provider; the schema itself stays as it is, and so do references. The root always has
 * `type: 'object'`, which every provider asks for in a tool. Cost: linear.
 */
export function cleanSchema(schema: JsonSchema, rules: SchemaRules): JsonSchema {
  return clean(schema, rules, true) as JsonSchema;
}

const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']);
const SINGLES: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'additionalItems', 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties']);

function clean(schema: unknown, rules: SchemaRules, isRoot: boolean): unknown {
  if (!isObject(schema)) return schema === true ? {} : schema;
  const node: SchemaNode = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (rules.keywords === undefined || rules.keywords.has(keyword)) node[keyword] = cleanKeyword(keyword, value, rules);
  }
  if (isRoot && node['type'] === undefined && node['$ref'] === undefined) node['type'] = 'object';
  return rules.node === undefined ? node : rules.node(node, isRoot);
}

/** `Object.fromEntries` makes a property called `__proto__` one like any other. */
function cleanKeyword(keyword: string, value: unknown, rules: SchemaRules): unknown {
  if (MAPS.has(keyword) && isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, clean(field, rules, false)] as const));
  if (LISTS.has(keyword) && Array.isArray(value)) return value.map((part) => clean(part, rules, false));
  return SINGLES.has(keyword) && isObject(value) ? clean(value, rules, false) : value;
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
