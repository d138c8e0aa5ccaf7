import { isObject } from '../internal/index.ts';
import type { Schema, StandardSchema } from '../internal/index.ts';
import { invalid } from './invalid.ts';
import { STRUCTURED_OUTPUT_KEY } from './reason.ts';

/**
 * The value as the schema lets it through. A Standard Schema validates (synchronously); plain JSON Schema only types the value, which
 * comes back as it is: the agent validated it when the model said it.
 *
 * @throws AgentScopeError `message/invalid` with the path inside the value
 */
export function validated(value: unknown, schema: Schema): unknown {
  if (!('~standard' in schema) || !isObject(schema['~standard'])) return value;
  const result: unknown = (schema as StandardSchema)['~standard'].validate(value);
  if (result instanceof Promise) throw invalid(`metadata.${STRUCTURED_OUTPUT_KEY}`, 'the schema validates synchronously');
  if (!isObject(result)) throw invalid(`metadata.${STRUCTURED_OUTPUT_KEY}`, 'the schema returns a Standard Schema result');
  const [issue] = Array.isArray(result['issues']) ? (result['issues'] as unknown[]) : [];
  if (issue === undefined) return result['value'];
  throw invalid(`metadata.${STRUCTURED_OUTPUT_KEY}${pathOf(issue)}`, isObject(issue) && typeof issue['message'] === 'string' ? issue['message'] : 'it fits the schema');
}

const outputs = new WeakMap<object, { readonly value: unknown }>();

/** What a schema let through, for the very message that a call gives back: a Date is one there, where JSON holds its text. */
export function noteOutput(msg: object, value: unknown): void {
  outputs.set(msg, { value });
}
export function notedOutput(msg: object): { readonly value: unknown } | undefined {
  return outputs.get(msg);
}

function pathOf(issue: unknown): string {
  if (!isObject(issue) || !Array.isArray(issue['path'])) return '';
  return issue['path'].map((part: unknown) => `.${String(isObject(part) ? part['key'] : part)}`).join('');
}
