import { expect, test } from 'vitest';
import { cleanSchema } from './clean-schema.ts';

test('C091 keywords that a provider does not know go, properties named like them stay, the original is untouched', () => {
  const schema = { $schema: 'x', type: 'object', additionalProperties: false, properties: { additionalProperties: { type: 'string', minLength: 2 }, list: { type: 'array', items: { $id: 'a', type: 'number' } } } } as const;
  const before = JSON.stringify(schema);
  const cleaned = cleanSchema(schema, { keywords: new Set(['type', 'properties', 'items']) });
  expect(cleaned).toEqual({ type: 'object', properties: { additionalProperties: { type: 'string' }, list: { type: 'array', items: { type: 'number' } } } });
  expect(JSON.stringify(schema)).toBe(before);
});

test('the root is an object, references stay, and nodes may be replaced', () => {
  expect(cleanSchema({}, {})).toEqual({ type: 'object' });
  expect(cleanSchema({ properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { properties: { $ref: { type: 'string' } } } } }, {})).toEqual({ type: 'object', properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { properties: { $ref: { type: 'string' } } } } });
  expect(cleanSchema({ properties: { a: { oneOf: [{ type: 'string' }, { type: 'null' }] } } }, { node: ({ oneOf, ...node }) => (oneOf === undefined ? node : { ...node, anyOf: oneOf }) })).toEqual({ type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } });
});

test('C029 a property called __proto__ is a property', () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as object;
  expect(JSON.stringify(cleanSchema(schema as never, {}))).toBe(JSON.stringify(schema));
});
