export { isoTime } from './clock.ts';
export type { Clock } from './clock.ts';
export { newId, sha256 } from './id.ts';
export { canonicalJson, isObject, parseObject } from './json.ts';
export type { Awaitable, JsonObject, JsonValue } from './json.ts';
export type { Infer, InferInput, JsonSchema, Schema, StandardSchema } from './schema.ts';
