import { AgentScopeError } from '../error/index.ts';
import { canonicalJson, compileSchema, fitToSchema, isObject } from '../internal/index.ts';
import type { CompiledSchema, JsonObject, JsonSchema, JsonValue, Schema, SchemaIssue } from '../internal/index.ts';
import { resolveRef } from '../formatter/index.ts';
import { jsonCopy } from '../tool/index.ts';

/** The answer a call wants, made ready: what the journal keeps, what the model is shown, and the check. */
export interface AnswerSchema {
  /** The JSON form, as the journal keeps it: whoever goes on with the reply in another process knows it from there. */
  readonly json: JsonObject;
  /** What the model is shown: the same, its root an object. Any other value stands in the field `value`. */
  readonly asked: JsonSchema;
  /** What a model said, against the schema. Never rejects. */
  check(said: unknown): Promise<CheckedAnswer>;
  /** The same for data that were stored. */
  read(stored: unknown): Promise<CheckedAnswer>;
}

export type CheckedAnswer =
  /** `output`: what the schema lets through. `stored`: JSON that the schema reads as this output again. */
  | { readonly ok: true; readonly stored: JsonValue; readonly output: unknown }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** @throws AgentScopeError `config/invalid` (option `schema`) when the schema has no JSON form. */
export function answerSchema(schema: Schema): AnswerSchema {
  const compiled = compileSchema(schema);
  const json = jsonFormOf(compiled);
  const root = withoutRootRef(json);
  const isWrapped = !isObjectSchema(root as JsonSchema);
  return {
    json,
    asked: (isWrapped ? wrapped(root) : { type: 'object', ...root }) as JsonSchema,
    check: (said) => (isWrapped ? checkWrapped(said, compiled) : check(said, compiled)),
    read: (stored) => check(stored, compiled),
  };
}

function jsonFormOf({ jsonSchema }: CompiledSchema): JsonObject {
  try {
    return jsonCopy(jsonSchema, 'The schema') as JsonObject;
  } catch (cause) {
    throw new AgentScopeError('config/invalid', `The schema has no JSON form: ${(cause as Error).message}`, { cause, details: { option: 'schema' } });
  }
}

/** A model that leaves the wrapping out means the same. */
async function checkWrapped(said: unknown, compiled: CompiledSchema): Promise<CheckedAnswer> {
  if (!isObject(said) || !Object.hasOwn(said, 'value')) return check(said, compiled);
  const inside = await check(said['value'], compiled);
  if (inside.ok) return inside;
  const whole = await check(said, compiled);
  return whole.ok ? whole : inside;
}

async function check(said: unknown, { validate, jsonSchema }: CompiledSchema): Promise<CheckedAnswer> {
  const result = await validate(said);
  if (!result.ok) return result;
  const written = fitToSchema(said, jsonSchema) as JsonValue;
  return { ok: true, stored: (await rereadable(result.value, written, validate)) ?? written, output: result.value };
}

/** The output as JSON, unless the schema would make something else of that: a transform must not run twice. */
async function rereadable(output: unknown, written: JsonValue, validate: CompiledSchema['validate']): Promise<JsonValue | undefined> {
  try {
    const copy = jsonCopy(output, 'The output');
    const text = canonicalJson(copy);
    if (text === canonicalJson(written)) return copy;
    const again = await validate(copy);
    return again.ok && canonicalJson(jsonCopy(again.value, 'The output')) === text ? copy : undefined;
  } catch {
    return undefined;
  }
}

/** A root that only names one of its definitions is that definition. */
function withoutRootRef(json: JsonObject): JsonObject {
  const { $ref: reference, ...rest } = json;
  const target = typeof reference === 'string' ? resolveRef(reference, json as JsonSchema) : undefined;
  return target === undefined || target === json ? json : { ...(target as JsonObject), ...rest };
}

/** Providers take nothing else at the root of a tool, nor of a strict answer. */
function isObjectSchema({ type, properties, ...rest }: JsonSchema): boolean {
  if (['$ref', 'anyOf', 'oneOf'].some((keyword) => keyword in rest)) return false;
  return type === 'object' || (type === undefined && properties !== undefined);
}

function wrapped({ $defs, definitions, ...value }: JsonObject): JsonObject {
  const shared = { ...($defs === undefined ? {} : { $defs }), ...(definitions === undefined ? {} : { definitions }) };
  return moved({ type: 'object', properties: { value }, required: ['value'], additionalProperties: false, ...shared }) as JsonObject;
}

/** References to the old root, or into it, follow it; those to shared definitions are right as they are. */
function moved(node: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(node)) return (node as readonly JsonValue[]).map((item) => moved(item) as JsonValue);
  if (!isObject(node)) return node;
  return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, name === '$ref' && typeof member === 'string' ? movedRef(member) : moved(member as JsonValue)]));
}

function movedRef(reference: string): string {
  return reference === '#' || (reference.startsWith('#/') && !/^#\/(?:\$defs|definitions)\//.test(reference)) ? `#/properties/value${reference.slice(1)}` : reference;
}

