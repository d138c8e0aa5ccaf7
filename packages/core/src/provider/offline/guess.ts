import { isObject } from '../../internal/index.ts';
import type { JsonObject, JsonSchema } from '../../internal/index.ts';
import { fillArguments } from './fill.ts';
import { MAX_CHARACTERS } from './wishes.ts';

const DEEPEST = 6;

/** Arguments that have to be given now: what the text holds, and the plainest value of the right type for what it does not. */
export function guessArguments(text: string, schema: JsonSchema): JsonObject {
  const { input } = fillArguments(text.slice(0, MAX_CHARACTERS), { name: '', description: '', inputSchema: schema });
  return completed(input, schema, { root: schema, text: text.trim().slice(0, 2_000).toWellFormed(), depth: 0 }) as JsonObject;
}

interface Guess {
  readonly root: JsonSchema;
  readonly text: string;
  readonly depth: number;
}

function completed(value: unknown, schema: unknown, guess: Guess): unknown {
  if (!isObject(schema) || guess.depth > DEEPEST) return value ?? null;
  const form = chosen(schema, guess.root);
  if (isObject(form['properties']) && (value === undefined || isObject(value))) return object(value ?? {}, form, deeper(guess));
  return value ?? plainest(form, deeper(guess));
}

function deeper(guess: Guess): Guess {
  return { ...guess, depth: guess.depth + 1 };
}

function object(value: Record<string, unknown>, form: Record<string, unknown>, guess: Guess): Record<string, unknown> {
  const required: readonly unknown[] = Array.isArray(form['required']) ? form['required'] : [];
  const entries = Object.entries(form['properties'] as Record<string, unknown>).filter(([name]) => required.includes(name) || Object.hasOwn(value, name));
  return Object.fromEntries(entries.map(([name, member]) => [name, completed(Object.hasOwn(value, name) ? value[name] : undefined, member, guess)]));
}

function chosen(schema: Record<string, unknown>, root: JsonSchema): Record<string, unknown> {
  const reference = typeof schema['$ref'] === 'string' ? /^#\/(\$defs|definitions)\/([^/]+)$/.exec(schema['$ref']) : null;
  const definitions = reference === null ? undefined : root[reference[1] ?? ''];
  const target = isObject(definitions) ? definitions[reference?.[2] ?? ''] : undefined;
  const choice = [schema['anyOf'], schema['oneOf'], schema['allOf']].find((list) => Array.isArray(list)) as readonly unknown[] | undefined;
  const inner = target ?? choice?.[0];
  return isObject(inner) ? inner : schema;
}

function plainest(form: Record<string, unknown>, guess: Guess): unknown {
  if ('default' in form) return form['default'];
  if ('const' in form) return form['const'];
  if (Array.isArray(form['enum'])) return form['enum'][0] as unknown;
  const type: unknown = Array.isArray(form['type']) ? form['type'][0] : form['type'];
  if (type === 'number' || type === 'integer') return typeof form['minimum'] === 'number' ? form['minimum'] : 0;
  if (type === 'boolean') return false;
  if (type === 'array') return Array.from({ length: Math.min(Number(form['minItems'] ?? 0) || 0, 3) }, () => completed(undefined, form['items'], guess));
  if (type === 'object') return {};
  return type === 'null' ? null : guess.text;
}
