import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject } from '../../internal/index.ts';
import type { JsonSchema } from '../../internal/index.ts';
import { checkGeminiSchema } from '../../testing/validators/gemini-schema.ts';
import { Problems } from '../../testing/validators/shared.ts';
import { toGeminiSchema } from './schema.ts';

const field = (schema: JsonSchema): unknown => {
  const properties = toGeminiSchema({ type: 'object', properties: { a: schema } })?.['properties'];
  return isObject(properties) ? properties['a'] : undefined;
};

test('C091 what JSON Schema says and Gemini does not is said in its words', () => {
  const schema: JsonSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
    properties: {
      kind: { const: 'cat' },
      nick: { type: ['string', 'null'] },
      home: { anyOf: [{ $ref: '#/$defs/home' }, { type: 'null' }], description: 'Where' },
      size: { oneOf: [{ type: 'string' }, { type: 'integer', exclusiveMinimum: 0 }] },
      level: { enum: [0, 1] },
      tree: { $ref: '#/$defs/tree' },
      tags: { type: 'object', propertyNames: { pattern: '^x' }, additionalProperties: { type: 'string' } },
      additionalProperties: { type: 'boolean' },
    },
    required: ['kind', 'missing', 'additionalProperties'],
    $defs: { home: { type: 'object', properties: { city: { type: 'string', format: 'email' } } }, tree: { type: 'object', properties: { next: { $ref: '#/$defs/tree' } } } },
  };
  const before = JSON.stringify(schema);
  const clean = toGeminiSchema(schema);
  expect(clean).toMatchObject({
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['cat'] },
      nick: { type: 'string', nullable: true },
      home: { type: 'object', properties: { city: { type: 'string', description: 'Format: email.' } }, nullable: true, description: 'Where' },
      size: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      level: { type: 'integer', description: 'One of: 0, 1.' },
      tree: { type: 'object', properties: { next: { type: 'object' } } },
      tags: { type: 'object' },
      additionalProperties: { type: 'boolean' },
    },
    required: ['kind', 'additionalProperties'],
  });
  expect(problemsOf(clean)).toEqual([]);
  expect(JSON.stringify(schema)).toBe(before);
  expect(JSON.stringify(clean).length).toBeLessThan(2_000);
});

test('C091 null, lists, merged and empty schemas', () => {
  expect(field({ type: 'null' })).toEqual({ type: 'string', nullable: true });
  expect(field({ type: ['integer', 'string', 'null'], description: 'd' })).toEqual({ description: 'd', nullable: true, anyOf: [{ type: 'integer' }, { type: 'string' }] });
  expect(field({ enum: ['a', null] })).toEqual({ type: 'string', enum: ['a'], nullable: true });
  expect(field({ type: 'array' })).toEqual({ type: 'array', items: { type: 'string' } });
  expect(field({ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] })).toEqual({ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } });
  expect(field({ allOf: [{ type: 'object', properties: { x: { type: 'string' } }, required: ['x'] }, { properties: { y: { type: 'number' } }, required: ['y'] }], description: 'd' })).toEqual({
    type: 'object', description: 'd', properties: { x: { type: 'string' }, y: { type: 'number' } }, required: ['x', 'y'],
  });
  expect(field({})).toEqual({ type: 'string' });
  expect(field({ type: 'string', format: 'date-time', minLength: 1, default: 'x', title: 't' })).toEqual({ type: 'string', format: 'date-time', minLength: 1, default: 'x', title: 't' });
});

test('C091 schemas that name each other stay small, and fast', () => {
  const names = Array.from({ length: 12 }, (_, n) => `d${n}`);
  const each = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])) };
  const clean = toGeminiSchema({ type: 'object', properties: { x: { $ref: '#/$defs/d0' } }, $defs: Object.fromEntries(names.map((name) => [name, each])) });
  expect(JSON.stringify(clean).length).toBeLessThan(100_000);
  expect(problemsOf(clean)).toEqual([]);
});

test('an object without properties is left out altogether', () => {
  expect([toGeminiSchema({}), toGeminiSchema({ type: 'object', properties: {} }), toGeminiSchema({ type: 'object', additionalProperties: true })]).toEqual([undefined, undefined, undefined]);
});

const word = fc.constantFrom('a', 'type', '__proto__', 'additionalProperties', '');
const { schema: anySchema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<JsonSchema[]>({}, { type: 'string' }, { type: 'null' }, { const: 1 }, { const: null }, { enum: ['a', 1, null] }, { enum: [] }, { type: ['null'] }, { type: ['string', 'array'] }, { type: 'array' }, { $ref: '#' }, { $ref: '#/nowhere' }, { not: { type: 'string' } }, { type: 'string', format: 'uri', nullable: true }),
    fc.tuple(tie('schema'), tie('schema')).map(([a, b]): JsonSchema => ({ anyOf: [a, b], type: 'object' })),
    fc.tuple(tie('schema'), tie('schema')).map(([a, b]): JsonSchema => ({ oneOf: [a, b], description: 'd', nullable: true })),
    fc.tuple(tie('schema'), tie('schema')).map(([a, b]): JsonSchema => ({ allOf: [a, b] })),
    tie('schema').map((items): JsonSchema => ({ type: 'array', items })),
    fc.tuple(tie('schema'), tie('schema')).map((prefixItems): JsonSchema => ({ prefixItems })),
    fc.tuple(word, tie('schema'), word).map(([name, schema, required]): JsonSchema => ({ properties: JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(schema)}}`) as Record<string, JsonSchema>, required: [required, name] })),
  ),
}));

test('C091 any schema comes out in the subset, every node with a type', () => {
  fc.assert(
    fc.property(anySchema, (schema) => {
      const before = JSON.stringify(schema);
      const clean = toGeminiSchema(schema);
      if (clean !== undefined) expect(problemsOf(clean)).toEqual([]);
      expect(JSON.stringify(schema)).toBe(before);
    }),
    { numRuns: 1000 },
  );
});

function problemsOf(schema: unknown): readonly string[] {
  const problems = new Problems();
  checkGeminiSchema(schema, 'schema', problems);
  return problems.list;
}
