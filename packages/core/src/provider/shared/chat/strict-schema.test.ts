import { expect, test } from 'vitest';
import { compileSchema } from '../../../internal/index.ts';
import type { JsonSchema } from '../../../internal/index.ts';
import { strictSchema } from './strict-schema.ts';

const person: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    nick: { type: 'string' },
    age: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    home: { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'string', default: 'x' } }, required: ['city'] },
    tags: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
    size: { type: 'string', enum: ['s', 'm'] },
  },
  required: ['name', 'age'],
};

test('C089 strict: every object closed, every key required, what was optional nullable', () => {
  expect(strictSchema(person)).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string' },
      nick: { type: ['string', 'null'] },
      age: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      home: { type: ['object', 'null'], properties: { city: { type: 'string' }, zip: { type: ['string', 'null'] } }, required: ['city', 'zip'], additionalProperties: false },
      tags: { type: ['array', 'null'], items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
      size: { type: ['string', 'null'], enum: ['s', 'm', null] },
    },
    required: ['name', 'nick', 'age', 'home', 'tags', 'size'],
    additionalProperties: false,
  });
  expect(strictSchema(person)).toBe(strictSchema(person));
});

test('C089 the nulls of a strict answer count as left out again', async () => {
  const answer = { name: 'Ada', nick: null, age: null, home: { city: 'London', zip: null }, tags: null, size: null };
  expect(await compileSchema(person).validate(answer)).toEqual({ ok: true, value: { name: 'Ada', age: null, home: { city: 'London', zip: 'x' } } });
});

test('C089 what strict mode cannot say is not strict', () => {
  const field = (schema: JsonSchema): JsonSchema => ({ type: 'object', properties: { a: schema } });
  const loose: JsonSchema[] = [
    field({ type: 'object', additionalProperties: { type: 'string' } }), field({ type: 'object' }), field({}), field({ type: 'array' }),
    field({ allOf: [{ type: 'string' }] }), field({ not: { type: 'string' } }), field({ type: 'array', items: {} }), { type: 'object', additionalProperties: true },
    { type: 'object', properties: {}, patternProperties: { x: { type: 'string' } } },
  ];
  expect(loose.map(strictSchema)).toEqual(loose.map(() => undefined));
});

test('definitions stay, references become nullable beside null, a tool without parameters is closed', () => {
  expect(strictSchema({ type: 'object', $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } }, properties: { n: { $ref: '#/$defs/n' } }, required: ['n'] })).toEqual({
    type: 'object',
    $defs: { n: { type: 'object', properties: { next: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] } }, required: ['next'], additionalProperties: false } },
    properties: { n: { $ref: '#/$defs/n' } },
    required: ['n'],
    additionalProperties: false,
  });
  expect(strictSchema({ type: 'object' })).toEqual({ type: 'object', properties: {}, required: [], additionalProperties: false });
});
