import { expect, test } from 'vitest';
import { cleanSchema } from './clean-schema.ts';

const recursive = {
  $defs: { node: { type: 'object', properties: { value: { type: 'string' }, next: { $ref: '#/$defs/node' } } } },
  type: 'object',
  properties: { list: { $ref: '#/$defs/node', description: 'the first' }, title: { type: 'string', title: 'x' } },
} as const;

test('C091 references are put in place, a schema that contains itself is cut at a depth', () => {
  expect(cleanSchema(recursive, { inlineRefs: true, depth: 1 })).toEqual({
    type: 'object',
    properties: {
      list: { type: 'object', description: 'the first', properties: { value: { type: 'string' }, next: { type: 'object' } } },
      title: { type: 'string', title: 'x' },
    },
  });
});

test('C091 keywords that a provider does not know go, properties named like them stay, the original is untouched', () => {
  const schema = { $schema: 'x', type: 'object', additionalProperties: false, properties: { additionalProperties: { type: 'string', minLength: 2 }, list: { type: 'array', items: { $id: 'a', type: 'number' } } } } as const;
  const before = JSON.stringify(schema);
  const cleaned = cleanSchema(schema, { keywords: new Set(['type', 'properties', 'items']) });
  expect(cleaned).toEqual({ type: 'object', properties: { additionalProperties: { type: 'string' }, list: { type: 'array', items: { type: 'number' } } } });
  expect(JSON.stringify(schema)).toBe(before);
});

test('the root is an object, an unknown reference a plain one, and nodes may be replaced', () => {
  expect(cleanSchema({}, {})).toEqual({ type: 'object' });
  expect(cleanSchema({ properties: { a: { $ref: 'https://elsewhere' }, b: { $ref: '#/%zz' } } }, { inlineRefs: true })).toEqual({ type: 'object', properties: { a: { type: 'object' }, b: { type: 'object' } } });
  expect(cleanSchema({ properties: { a: { oneOf: [{ type: 'string' }, { type: 'null' }] } } }, { node: ({ oneOf, ...node }) => (oneOf === undefined ? node : { ...node, anyOf: oneOf }) })).toEqual({ type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } });
});

test('C029 a property called __proto__ is a property', () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as object;
  expect(JSON.stringify(cleanSchema(schema as never, { inlineRefs: true }))).toBe(JSON.stringify(schema));
});
