import { expect, test } from 'vitest';
import fc from 'fast-check';
import { z } from 'zod';
import { AgentScopeError } from '../error/index.ts';
import { compileSchema, describeIssues } from './index.ts';
import type { JsonSchema, Schema, Validation } from './index.ts';

const readFile = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    opts: { type: 'object', properties: { mode: { type: 'string' }, depth: { type: 'integer' } }, required: ['depth'] },
    list: { type: 'array', items: { type: 'object', properties: { q: { type: 'number' } } } },
  },
  required: ['path'],
} satisfies JsonSchema;
const readFileZod = z.object({
  path: z.string(),
  opts: z.object({ mode: z.string().optional(), depth: z.int() }).optional(),
  list: z.array(z.object({ q: z.number().optional() })).optional(),
});

async function issuesOf(schema: Schema, value: unknown): Promise<string> {
  const result = await compileSchema(schema).validate(value);
  return result.ok ? '' : describeIssues(result.issues);
}

test('C019 names the path of a missing nested field, for both kinds of schema', async () => {
  expect(await issuesOf(readFile, { path: 'a', opts: {} })).toBe('opts.depth: is required');
  expect(await issuesOf(readFileZod, { path: 'a', opts: {} })).toMatch(/^opts\.depth: /);
});

test('names list positions and every wrong field, and stops at eight', async () => {
  expect(await issuesOf(readFile, { path: 1, list: [{ q: 1 }, { q: 'x' }] })).toBe('path: must be string, is number; list[1].q: must be number, is string');
  const many = compileSchema({ type: 'array', items: { type: 'number' } });
  const result = await many.validate(Array.from({ length: 20 }, () => 'x'));
  expect(result.ok ? '' : describeIssues(result.issues)).toMatch(/^\[0\]: must be number, is string; .*; and 12 more$/);
});

test('a choice that fits nothing is one issue, unless something deeper is wrong', async () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { u: { anyOf: [{ type: 'string' }, { type: 'number' }] }, o: { anyOf: [{ type: 'object', properties: { x: { type: 'number' } } }, { type: 'null' }] } },
    additionalProperties: false,
  };
  expect(await issuesOf(schema, { u: true })).toBe('u: fits none of the allowed forms');
  expect(await issuesOf(schema, { o: { x: 'a' } })).toContain('o.x: must be number, is string');
  expect(await issuesOf(schema, { z: 1 })).toBe('z: is not a known field');
});

test.each([
  ['a plain schema', { type: 'object', properties: { opts: { type: 'object', properties: { mode: { type: 'string' }, depth: { type: 'integer' } } } } } as Schema],
  ['a Standard Schema', z.object({ opts: z.object({ mode: z.string().optional(), depth: z.int().optional() }).optional() })],
])('C096 null counts as left out for optional fields, nested too: %s', async (_name, schema) => {
  const { validate } = compileSchema(schema);
  expect(await validate({ opts: { mode: null } })).toEqual({ ok: true, value: { opts: {} } });
  expect(await validate({ opts: null })).toEqual({ ok: true, value: {} });
  expect(await validate({})).toEqual({ ok: true, value: {} });
});

test('C096 null for a required field is an error with the path; null that is allowed stays', async () => {
  expect(await issuesOf(readFile, { path: null })).toBe('path: must be string, is null');
  expect(await issuesOf(readFileZod, { path: null })).toMatch(/^path: /);
  const nullable = z.object({ a: z.string().nullish(), b: z.any().optional() });
  expect(await compileSchema(nullable).validate({ a: null, b: null })).toEqual({ ok: true, value: { a: null, b: null } });
});

test('C096 looks through lists, references and nullable objects', async () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { items: { type: 'array', items: { $ref: '#/$defs/item' } }, maybe: { anyOf: [{ $ref: '#/$defs/item' }, { type: 'null' }] } },
    $defs: { item: { type: 'object', properties: { a: { type: 'string' } } } },
  };
  expect(await compileSchema(schema).validate({ items: [{ a: null }, { a: 'x' }], maybe: { a: null } })).toEqual({ ok: true, value: { items: [{}, { a: 'x' }], maybe: {} } });
  expect(await compileSchema(schema).validate({ maybe: null })).toEqual({ ok: true, value: { maybe: null } });
});

test('defaults of a plain schema are applied, each time as a value of its own', async () => {
  const { validate } = compileSchema({
    type: 'object',
    properties: { n: { type: 'integer', default: 3 }, tags: { type: 'array', default: [] }, opts: { type: 'object', properties: { deep: { type: 'boolean', default: true } } } },
  });
  const [first, second] = [await validate({ opts: {}, n: null }), await validate({})];
  expect(first).toEqual({ ok: true, value: { n: 3, tags: [], opts: { deep: true } } });
  expect(second).toEqual({ ok: true, value: { n: 3, tags: [] } });
  const tagsOf = (result: Validation): unknown => (result.ok ? (result.value as { tags: unknown }).tags : undefined);
  expect(tagsOf(first)).not.toBe(tagsOf(second));
});

test('C029 special keys are members like any other', async () => {
  const input: unknown = JSON.parse('{"__proto__":{"admin":true},"constructor":{"x":1},"n":null}');
  const schema: JsonSchema = { type: 'object', properties: { n: { type: 'string' }, toString: { type: 'string' } } };
  const result = await compileSchema(schema).validate(input);
  expect(result.ok).toBe(true);
  expect(result.ok && Object.keys(result.value as object)).toEqual(['__proto__', 'constructor']);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
  expect(await issuesOf({ type: 'object', properties: { constructor: { type: 'string' } }, required: ['constructor'] }, {})).toBe('constructor: is required');
});

test('the value given and the schema are not changed', async () => {
  const schema = Object.freeze({ type: 'object', properties: Object.freeze({ a: Object.freeze({ type: 'string' }), d: Object.freeze({ default: 1 }) }) });
  const value = Object.freeze({ a: null });
  expect(await compileSchema(schema).validate(value)).toEqual({ ok: true, value: { d: 1 } });
  const untouched = { path: 'x' };
  const result = await compileSchema(readFile).validate(untouched);
  expect(result.ok && result.value).toBe(untouched);
});

test('a check that throws is an issue, not a rejection', async () => {
  const schema = z.object({ a: z.string().transform(() => { throw new Error('boom'); }) });
  expect(await issuesOf(schema, { a: 'x' })).toBe('the check itself failed: boom');
  expect(await issuesOf({ type: 'object', $ref: '#/nowhere' }, {})).toMatch(/^the check itself failed: Unresolved/);
});

test('a schema that cannot describe itself is refused when it is prepared', () => {
  for (const schema of [z.object({ d: z.date() }), { '~standard': { version: 1, vendor: 'v', validate: () => ({}) } }, undefined, 'x'] as Schema[]) {
    expect(() => compileSchema(schema)).toThrow(AgentScopeError);
  }
});

test('any JSON value gets an answer, never a throw', async () => {
  const checks = [compileSchema(readFile), compileSchema(readFileZod)];
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const [plain, standard] = await Promise.all(checks.map(({ validate }) => validate(value)));
      expect(plain?.ok).toBe(standard?.ok);
    }),
  );
});
