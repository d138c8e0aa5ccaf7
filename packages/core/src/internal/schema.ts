import type { JsonObject, JsonValue } from './json.ts';

/**
 * What zod >= 4.2, ArkType and Valibot's `toStandardJsonSchema()` give (Standard Schema and Standard JSON Schema, version 1).
 * `jsonSchema` is required, so a schema that cannot describe itself to a model is a compile error, not a throw.
 */
export interface StandardSchema<Input = unknown, Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly jsonSchema: { readonly input: (options: { target: 'draft-2020-12' }) => Record<string, unknown> };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** JSON Schema 2020-12. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema | boolean;
  readonly enum?: readonly JsonValue[];
  readonly const?: JsonValue;
  readonly anyOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
  /** Never here: keeps a schema object that cannot describe itself from passing as JSON Schema. */
  readonly '~standard'?: never;
  readonly [keyword: string]: unknown;
}

export type Schema = StandardSchema | JsonSchema;

/** The value a schema lets through. A literal JSON Schema is read structurally (no `as const` needed). */
export type Infer<S> = S extends StandardSchema ? NonNullable<S['~standard']['types']>['output'] : FromJsonSchema<S>;
/** What may be written for it, before defaults and transforms: what a model says, what a tool call block holds. */
export type InferInput<S> = S extends StandardSchema ? NonNullable<S['~standard']['types']>['input'] : FromJsonSchema<S>;

type FromJsonSchema<S> = S extends { readonly type: infer T extends string } ? FromType<S, T> : FromKeyword<S>;
type FromKeyword<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer U)[] }
      ? FromJsonSchema<U>
      : unknown;
type FromType<S, T> = string extends T
  ? JsonObject
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : T extends 'string'
      ? string
      : T extends 'number' | 'integer'
        ? number
        : T extends 'boolean'
          ? boolean
          : T extends 'null'
            ? null
            : T extends 'array'
              ? S extends { readonly items: infer I }
                ? FromJsonSchema<I>[]
                : JsonValue[]
              : S extends { readonly properties: infer P }
                ? Flatten<
                    { -readonly [K in keyof P as K extends RequiredKey<S> ? K : never]: FromJsonSchema<P[K]> } & {
                      -readonly [K in keyof P as K extends RequiredKey<S> ? never : K]?: FromJsonSchema<P[K]>;
                    }
                  >
                : JsonObject;
type RequiredKey<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;
type Flatten<T> = { [K in keyof T]: T[K] } & {};
