import { isObject } from '../../../internal/index.ts';
import type { JsonSchema } from '../../../internal/index.ts';
import { cleanSchema } from '../../../formatter/index.ts';
import type { SchemaNode } from '../../../formatter/index.ts';

const known = new WeakMap<JsonSchema, { readonly schema: JsonSchema | undefined }>();

/**
 * The schema as strict mode wants it: objects closed, every field required, optional ones nullable, only keywords it knows. Nothing where
 * it cannot say the same: an object with free keys, `allOf`, `not`, conditions, or a value of any type.
 */
export function strictSchema(schema: JsonSchema): JsonSchema | undefined {
  let entry = known.get(schema);
  if (entry === undefined) known.set(schema, (entry = { schema: isStrictable(schema, 0) ? cleanSchema(schema, { keywords: KEYWORDS, node: strictNode }) : undefined }));
  return entry.schema;
}

const KEYWORDS: ReadonlySet<string> = new Set([
  'type', 'description', 'title', 'properties', 'required', 'items', 'enum', 'const', 'anyOf', 'oneOf', '$ref', '$defs', 'definitions', 'additionalProperties',
  'pattern', 'format', 'multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems',
]);
const FORMATS: ReadonlySet<unknown> = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']);
const UNSAYABLE = ['patternProperties', 'allOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'prefixItems', 'unevaluatedProperties', 'propertyNames'];

function isStrictable(schema: unknown, depth: number): boolean {
  if (!isObject(schema) || depth > 10 || UNSAYABLE.some((keyword) => keyword in schema)) return false;
  const { type, properties, additionalProperties, items, $defs, definitions, anyOf, oneOf } = schema;
  const isAny = type === undefined && ['anyOf', 'oneOf', '$ref', 'enum', 'const', 'properties'].every((keyword) => !(keyword in schema));
  if (isAny && depth > 0) return false;
  if (typesOf(type).includes('object') && (properties === undefined ? depth > 0 || additionalProperties !== undefined : false)) return additionalProperties === false;
  if (additionalProperties !== undefined && additionalProperties !== false) return false;
  if (typesOf(type).includes('array') && !isObject(items)) return false;
  const parts: readonly unknown[] = [...[properties, $defs, definitions].flatMap((map) => (isObject(map) ? Object.values(map) : [])), ...[anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : [])), ...(items === undefined ? [] : [items])];
  return parts.every((part) => isStrictable(part, depth + 1));
}

function strictNode({ oneOf, ...node }: SchemaNode, isRoot: boolean): SchemaNode {
  const result: SchemaNode = oneOf === undefined ? node : { ...node, anyOf: oneOf };
  if (result['format'] !== undefined && !FORMATS.has(result['format'])) delete result['format'];
  const properties = result['properties'];
  if (!isObject(properties)) return typesOf(result['type']).includes('object') || isRoot ? { ...result, properties: {}, required: [], additionalProperties: false } : result;
  const required = Array.isArray(result['required']) ? (result['required'] as unknown[]) : [];
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, required.includes(name) || !isObject(field) ? field : nullable(field)]));
  return { ...result, type: result['type'] ?? 'object', properties: fields, required: Object.keys(fields), additionalProperties: false };
}

function nullable(field: Record<string, unknown>): Record<string, unknown> {
  const types = typesOf(field['type']);
  if (types.includes('null')) return field;
  if (Array.isArray(field['anyOf'])) {
    const choices = field['anyOf'] as readonly unknown[];
    return choices.some((choice) => isObject(choice) && choice['type'] === 'null') ? field : { ...field, anyOf: [...choices, { type: 'null' }] };
  }
  if (types.length === 0 || 'const' in field || '$ref' in field) return { anyOf: [field, { type: 'null' }] };
  return { ...field, type: [...types, 'null'], ...(Array.isArray(field['enum']) ? { enum: [...(field['enum'] as unknown[]), null] } : {}) };
}

function typesOf(type: unknown): readonly unknown[] {
  return Array.isArray(type) ? (type as unknown[]) : type === undefined ? [] : [type];
}
