import { AgentScopeError } from '../error/index.ts';
import { canonicalJson, compileSchema, fitToSchema, isObject } from '../internal/index.ts';
import type { CompiledSchema, JsonObject, JsonSchema, JsonValue, Schema, SchemaIssue } from '../internal/index.ts';
import { jsonCopy } from '../tool/index.ts';

/** The answer a call wants, made ready: what the journal keeps, what the model is shown, and the check. */
export interface AnswerSchema {
  /** The JSON form, as the journal keeps it: whoever goes on with the reply in another process knows it from there. */
  readonly json: JsonObject;
  /** What the model is shown: the same, its root an object. Any other value stands in the field `value`. */
  readonly asked: JsonSchema;
  /** Never rejects. */
  check(said: unknown): Promise<CheckedAnswer>;
}

export type CheckedAnswer =
  /** `output`: what the schema lets through. `stored`: JSON that the schema reads as this output again. */
  | { readonly ok: true; readonly stored: JsonValue; readonly output: unknown }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** @throws AgentScopeError `config/invalid` (option `schema`) when the schema has no JSON form. */
export function answerSchema(schema: Schema): AnswerSchema {
  const compiled = compileSchema(schema);
  const json = jsonFormOf(compiled);
  const isWrapped = !isObjectSchema(compiled.jsonSchema);
  return {
    json,
    asked: isWrapped ? wrapped(json) : ({ type: 'object', ...json } as JsonSchema),
    check: (said) => check(isWrapped ? unwrapped(said) : said, compiled),
  };
}

function jsonFormOf({ jsonSchema }: CompiledSchema): JsonObject {
  try {
    return jsonCopy(jsonSchema, 'The schema') as JsonObject;
  } catch (cause) {
    throw new AgentScopeError('config/invalid', `The schema has no JSON form: ${(cause as Error).message}`, { cause, details: { option: 'schema' } });
  }
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

/** Providers take nothing else at the root of a tool, nor of a strict answer. */
function isObjectSchema({ type, properties, ...rest }: JsonSchema): boolean {
  if (['$ref', 'anyOf', 'oneOf'].some((keyword) => keyword in rest)) return false;
  return type === 'object' || (type === undefined && properties !== undefined);
}

function wrapped({ $defs, definitions, ...value }: JsonObject): JsonSchema {
  const shared = { ...($defs === undefined ? {} : { $defs }), ...(definitions === undefined ? {} : { definitions }) };
  return moved({ type: 'object', properties: { value }, required: ['value'], additionalProperties: false, ...shared }) as JsonSchema;
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

/** A model that leaves the wrapping out means the same. */
function unwrapped(said: unknown): unknown {
  return isObject(said) && Object.hasOwn(said, 'value') ? said['value'] : said;
}
