import { isObject } from './json.ts';
import type { JsonSchema } from './schema.ts';

/**
 * A value as the schema's author meant it: an explicit `null` is left out where null is forbidden and the field is optional (models
 * write null for "nothing"), and, if asked, a missing field gets its `default`. Returns the same object when there is nothing to do.
 */
export function fitToSchema(value: unknown, schema: JsonSchema, { defaults = false }: { defaults?: boolean } = {}): unknown {
  return fit(value, schema, { root: schema, defaults });
}

interface Fitting {
  readonly root: JsonSchema;
  readonly defaults: boolean;
}

function fit(value: unknown, schema: SubSchema, fitting: Fitting): unknown {
  if (typeof value !== 'object' || value === null) return value;
  let result: unknown = value;
  for (const shape of shapesOf(schema, fitting.root)) {
    result = Array.isArray(result) ? fitItems(result, shape, fitting) : fitFields(result as Record<string, unknown>, shape, fitting);
  }
  return result;
}

function fitItems(list: readonly unknown[], { items }: JsonSchema, fitting: Fitting): readonly unknown[] {
  if (!isObject(items)) return list;
  let changed = false;
  const fitted = list.map((item) => {
    const next = fit(item, items, fitting);
    changed ||= next !== item;
    return next;
  });
  return changed ? fitted : list;
}

function fitFields(object: Record<string, unknown>, schema: JsonSchema, fitting: Fitting): Record<string, unknown> {
  let result = object;
  const change = (): Record<string, unknown> => (result === object ? (result = { ...object }) : result); // copied once, and only when needed
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const present = Object.hasOwn(result, name);
    const optional = !(schema.required ?? []).includes(name);
    if (present && result[name] === null && optional && !allowsNull(field, fitting.root)) delete change()[name];
    if (Object.hasOwn(result, name)) {
      const next = fit(result[name], field, fitting);
      if (next !== result[name]) put(change(), name, next);
    } else if (fitting.defaults && isObject(field) && 'default' in field) put(change(), name, structuredClone(field['default']));
  }
  return result;
}

/** `__proto__` becomes a member like any other. */
function put(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

type SubSchema = JsonSchema | boolean;

/** The schemas that describe an object or list here: the schema itself, what it refers to, the parts of `allOf`, and the one form besides null of a choice. */
function shapesOf(schema: SubSchema, root: JsonSchema, depth = 0): readonly JsonSchema[] {
  if (!isObject(schema) || depth > 16) return [];
  const parts: SubSchema[] = [...listOf(schema['allOf'])];
  const referred = resolve(schema, root);
  if (referred !== undefined) parts.push(referred);
  const choices = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])].filter((choice) => !(isObject(choice) && choice['type'] === 'null'));
  if (choices.length === 1) parts.push(...choices);
  return parts.length === 0 ? [schema] : [schema, ...parts.flatMap((part) => shapesOf(part, root, depth + 1))];
}

function allowsNull(schema: SubSchema, root: JsonSchema, depth = 0): boolean {
  if (!isObject(schema)) return schema !== false;
  if (depth > 16) return true;
  const { type, anyOf, enum: values } = schema as JsonSchema;
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).includes('null')) return false;
  if ('const' in schema) return schema['const'] === null;
  if (values !== undefined) return values.includes(null);
  const referred = resolve(schema, root);
  if (referred !== undefined && !allowsNull(referred, root, depth + 1)) return false;
  if (!listOf(schema['allOf']).every((part) => allowsNull(part, root, depth + 1))) return false;
  return [anyOf, schema['oneOf']].every((choice) => choice === undefined || listOf(choice).some((part) => allowsNull(part, root, depth + 1)));
}

/** A reference into the same schema (`#`, `#/$defs/name`); others are the validator's business. */
function resolve(schema: Record<string, unknown>, root: JsonSchema): SubSchema | undefined {
  const reference = schema['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  let target: unknown = root;
  for (const step of reference.split('/').slice(1)) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    target = isObject(target) && Object.hasOwn(target, name) ? target[name] : undefined;
  }
  return isObject(target) && target !== schema ? (target as JsonSchema) : undefined;
}

function listOf(value: unknown): readonly SubSchema[] {
  return Array.isArray(value) ? (value as SubSchema[]) : [];
}
