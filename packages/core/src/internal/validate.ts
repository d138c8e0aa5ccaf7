import { AgentScopeError } from '../error/index.ts';
import { isObject } from './json.ts';
import type { Awaitable } from './json.ts';
import { fitToSchema } from './fit-to-schema.ts';
import type { JsonSchema, Schema, StandardSchema } from './schema.ts';
import { pathText } from './schema-issue.ts';
import type { SchemaIssue } from './schema-issue.ts';

export type Validation = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** A schema made ready: its JSON form for a model, and a check. */
export interface CompiledSchema {
  readonly jsonSchema: JsonSchema;
  /** Never rejects: a check that throws is an issue. The value that comes back is not the one given when something was filled in or left out. */
  validate(value: unknown): Promise<Validation>;
}

/**
 * Prepares any Standard Schema with a JSON form, or a plain JSON Schema 2020-12. For both, an explicit `null` counts as left out where
 * the schema forbids null and the field is optional; a plain JSON Schema also has its `default`s applied (a Standard Schema does that itself).
 *
 * @throws AgentScopeError `config/invalid` when the schema has no JSON form.
 */
export function compileSchema(schema: Schema): CompiledSchema {
  if (isStandardSchema(schema)) return compileStandard(schema);
  if (isObject(schema) && !('~standard' in schema)) return compileJson(schema);
  throw new AgentScopeError('config/invalid', 'The schema has no JSON form. Use zod >= 4.2, ArkType, Valibot with toStandardJsonSchema, or a plain JSON Schema.', {
    details: { option: 'schema' },
  });
}

function isStandardSchema(schema: Schema): schema is StandardSchema {
  const standard: unknown = (typeof schema === 'object' || typeof schema === 'function') && schema !== null ? schema['~standard'] : undefined;
  return (typeof standard === 'object' || typeof standard === 'function') && standard !== null && 'jsonSchema' in standard && 'validate' in standard;
}

function compileStandard(schema: StandardSchema): CompiledSchema {
  const jsonSchema = jsonFormOf(schema);
  return {
    jsonSchema,
    async validate(value) {
      try {
        const result = await (schema['~standard'].validate(fitToSchema(value, jsonSchema)) as Awaitable<StandardResult>);
        if (result.issues === undefined) return { ok: true, value: result.value };
        return { ok: false, issues: result.issues.map(({ path, message }) => ({ path: pathText(path ?? []), message })) };
      } catch (error) {
        return failed(error);
      }
    },
  };
}

interface StandardResult {
  readonly value?: unknown;
  readonly issues?: readonly { readonly message: string; readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined }[];
}

function jsonFormOf(schema: StandardSchema): JsonSchema {
  try {
    const { $schema: _dialect, ...form } = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
    return form as JsonSchema;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AgentScopeError('config/invalid', `The schema cannot be written as JSON Schema: ${why}`, { cause, details: { option: 'schema' } });
  }
}

function compileJson(jsonSchema: JsonSchema): CompiledSchema {
  let check: Promise<(value: unknown) => readonly SchemaIssue[]> | undefined;
  return {
    jsonSchema,
    async validate(value) {
      try {
        const fitted = fitToSchema(value, jsonSchema, { defaults: true });
        // Loaded when the first value is checked: an import of this library does not pay for it.
        check ??= import('./json-schema-check.ts').then(({ createJsonSchemaCheck }) => createJsonSchemaCheck(jsonSchema));
        const issues = (await check)(fitted);
        return issues.length === 0 ? { ok: true, value: fitted } : { ok: false, issues };
      } catch (error) {
        return failed(error);
      }
    },
  };
}

function failed(error: unknown): Validation {
  return { ok: false, issues: [{ path: '', message: `the check itself failed: ${error instanceof Error ? error.message : String(error)}` }] };
}
