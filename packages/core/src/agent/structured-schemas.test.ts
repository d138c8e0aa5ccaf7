import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { scope, type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject, JsonValue, Schema } from '../internal/index.ts';
import { foldEvents } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { parseMsg } from '../message/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { answerSchema } from './answer-schema.ts';
import { ReActAgent } from './react-agent.ts';

// The same person in four schema libraries: optional, nullable, union, enum and date fields, and itself inside.
const zodPerson = z.object({
  name: z.string(),
  nick: z.string().optional(),
  age: z.number().nullable(),
  id: z.union([z.string(), z.number()]),
  level: z.enum(['junior', 'senior']),
  born: z.iso.date(),
  get children() {
    return z.array(zodPerson).optional();
  },
});
interface ValibotPerson {
  name: string;
  nick?: string | undefined;
  age: number | null;
  id: string | number;
  level: 'junior' | 'senior';
  born: string;
  children?: ValibotPerson[] | undefined;
}
const valibotPerson: v.GenericSchema<ValibotPerson> = v.object({
  name: v.string(),
  nick: v.optional(v.string()),
  age: v.nullable(v.number()),
  id: v.union([v.string(), v.number()]),
  level: v.picklist(['junior', 'senior']),
  born: v.pipe(v.string(), v.isoDate()),
  children: v.optional(v.array(v.lazy(() => valibotPerson))),
});
const { person: arkPerson } = scope({
  person: { name: 'string', 'nick?': 'string', age: 'number | null', id: 'string | number', level: "'junior' | 'senior'", born: 'string.date.iso', 'children?': 'person[]' },
}).export();
const jsonPerson = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    nick: { type: 'string' },
    age: { type: ['number', 'null'] },
    id: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    level: { enum: ['junior', 'senior'] },
    born: { type: 'string', format: 'date' },
    children: { type: 'array', items: { $ref: '#' } },
  },
  required: ['name', 'age', 'id', 'level', 'born'],
} as const;
const PERSONS: Readonly<Record<string, Schema>> = { zod: zodPerson, Valibot: toStandardJsonSchema(valibotPerson), ArkType: arkPerson as unknown as Schema, 'JSON Schema': jsonPerson as unknown as Schema };

const child = { name: 'Bo', age: null, id: 7, level: 'junior', born: '2020-02-29' };
const ANNA: JsonObject = { name: 'Anna', nick: 'An', age: 41, id: 'a-1', level: 'senior', born: '1984-12-01', children: [child] };
const FITTING: Readonly<Record<string, { readonly said: JsonObject; readonly data?: JsonObject }>> = {
  'every field': { said: ANNA },
  'no optional field': { said: child },
  'C096 C089 null for what is optional, which counts as left out, also inside': {
    said: { ...ANNA, nick: null, children: [{ ...child, nick: null, children: null }] },
    data: { name: 'Anna', age: 41, id: 'a-1', level: 'senior', born: '1984-12-01', children: [child] },
  },
};
const MISFITS: Readonly<Record<string, { readonly said: JsonObject; readonly path: string }>> = {
  'a required field is missing': { said: { age: null, id: 7, level: 'junior', born: '2020-02-29' }, path: 'name' },
  'null for a required field': { said: { ...child, name: null }, path: 'name' },
  'no member of the enum': { said: { ...child, level: 'boss' }, path: 'level' },
  'no form of the union': { said: { ...child, id: true }, path: 'id' },
  'no date': { said: { ...child, born: 'in spring' }, path: 'born' },
  'wrong further down': { said: { ...ANNA, children: [child, { ...child, age: 'old' }] }, path: 'children[1].age' },
};

/** By the tool, and by a model that keeps to schemas itself. */
const WAYS = {
  tool: { native: false, say: (input: JsonObject): ScriptedReply => ({ tool: 'generate_response', input }) },
  native: { native: true, say: (input: JsonObject): ScriptedReply => JSON.stringify(input) },
} as const;

function asking(native: boolean, ...script: readonly ScriptedReply[]) {
  const model = Object.assign(scriptedModel(...script), { nativeStructuredOutput: native });
  return { model, agent: new ReActAgent({ name: 'F', model }) };
}

describe.for(Object.keys(PERSONS))('%s', (library) => {
  const schema = PERSONS[library] as Schema;
  describe.for(Object.keys(WAYS) as (keyof typeof WAYS)[])('by the way "%s"', (way) => {
    const { native, say } = WAYS[way];
    test.for(Object.entries(FITTING))('S4-017 %s', async ([, { said, data = said }]) => {
      const { agent, model } = asking(native, say(said));
      const events: AgentEvent[] = [];
      const stream = agent.streamEvents('Who?', { schema });
      for await (const event of stream) events.push(event);
      const reply = await stream.result;
      expect([reply.generateReason, reply.getStructuredData()]).toEqual(['STRUCTURED_OUTPUT', data]);
      expect(JSON.stringify(foldEvents(events))).toBe(JSON.stringify(reply));
      expect(foldEvents(events).getStructuredData(schema)).toEqual(data);
      const [request] = model.requests;
      expect([request?.responseFormat !== undefined, request?.tools?.map(({ name }) => name)]).toEqual(native ? [true, undefined] : [false, ['generate_response']]);
      expect((native ? request?.responseFormat?.schema : request?.tools?.[0]?.inputSchema)?.type).toBe('object');
    });
    test.for(Object.entries(MISFITS))('%s: the model is told where, and mends it', async ([, { said, path }]) => {
      const { agent, model } = asking(native, say(said), ({ toolChoice }) => (toolChoice === undefined ? JSON.stringify(child) : { tool: 'generate_response', input: child }));
      const reply = await agent.call('Who?', { schema });
      expect([reply.generateReason, reply.getStructuredData()]).toEqual(['STRUCTURED_OUTPUT', child]);
      const told = JSON.stringify(model.requests[1]?.messages.at(-1)?.content.at(-1));
      expect(told).toContain(path.split('.')[0]);
    });
  });
});

test('what is no object at its root stands in a field of one, for the model only', async () => {
  const cases: readonly (readonly [Schema, JsonValue])[] = [
    [z.array(z.number()).min(1), [1, 2]],
    [z.enum(['yes', 'no']), 'yes'],
    [z.number(), 0],
    [z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b'), n: z.number() })]), { k: 'b', n: 1 }],
    [toStandardJsonSchema(v.array(v.string())), ['x']],
    [type('string[]') as unknown as Schema, ['x']],
    [{ type: ['string', 'null'] }, null],
    [{}, false],
    [{ $ref: '#/$defs/list', $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } } } as Schema, [[], [[]]]],
    [{ type: 'array', items: { anyOf: [{ type: 'string' }, { $ref: '#' }] } } as Schema, ['a', ['b', ['c']]]],
  ];
  for (const [schema, value] of cases) {
    for (const { native, say } of Object.values(WAYS)) {
      const { agent, model } = asking(native, say({ value }));
      const reply = await agent.call('go', { schema });
      expect([reply.getStructuredData(), reply.getStructuredData(schema)]).toEqual([value, value]);
      const shown = native ? model.requests[0]?.responseFormat?.schema : model.requests[0]?.tools?.[0]?.inputSchema;
      expect(shown).toMatchObject({ type: 'object', required: ['value'] });
      expect(await answerSchema(shown as Schema).check({ value })).toMatchObject({ ok: true, stored: { value } }); // its references lead somewhere
    }
  }
});

test('data with a field of that very name are told apart from the field around them', async () => {
  const schema = z.union([z.object({ value: z.number() }), z.object({ k: z.literal('a'), value: z.string() })]);
  for (const said of [{ value: { value: 1 } }, { value: 1 }]) {
    const { agent } = asking(false, { tool: 'generate_response', input: said });
    expect((await agent.call('go', { schema })).getStructuredData()).toEqual({ value: 1 });
  }
  const made = answerSchema(schema);
  expect(await made.read({ k: 'a', value: 'x' })).toMatchObject({ ok: true, stored: { k: 'a', value: 'x' } });
});

test('a root that names one of its definitions is shown as that', () => {
  const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, additionalProperties: false };
  expect(answerSchema({ $ref: '#/$defs/node', $defs: { node } } as unknown as Schema).asked).toEqual({ ...node, $defs: { node } });
});

test('transforms and defaults: the call gives what the schema lets through, the record what it reads as that again', async () => {
  const At = z.object({ at: z.iso.datetime().transform((text) => new Date(text)), n: z.coerce.number().default(3), loud: z.string().transform((text) => `${text}!`).optional() });
  for (const { native, say } of Object.values(WAYS)) {
    const { agent } = asking(native, say({ at: '2026-01-02T03:04:05Z', loud: 'hey', extra: 1 }));
    const reply = await agent.call('When?', { schema: At });
    const data = { at: new Date('2026-01-02T03:04:05Z'), n: 3, loud: 'hey!' };
    expect(reply.getStructuredData()).toEqual(data);
    expect(reply.with({ name: 'G' }).getStructuredData()).toEqual(data);
    const [, stored] = await agent.session().messages();
    const read = JSON.parse(JSON.stringify(stored)) as { metadata: JsonObject };
    expect(read.metadata['_structured_output']).toEqual({ at: '2026-01-02T03:04:05Z', loud: 'hey', extra: 1 }); // "hey!" would become "hey!!"
    expect(parseMsg(read).getStructuredData(At)).toEqual(data);
  }
  const { agent } = asking(true, '{"at":"2026-01-02T03:04:05Z","extra":1}');
  const reply = await agent.call('When?', { schema: z.object({ at: z.string(), n: z.number().default(3) }) });
  expect([reply.getStructuredData(), reply.metadata['_structured_output']]).toEqual([{ at: '2026-01-02T03:04:05Z', n: 3 }, { at: '2026-01-02T03:04:05Z', n: 3 }]);
  const dates = toStandardJsonSchema(v.object({ at: v.pipe(v.string(), v.isoTimestamp(), v.transform((text) => new Date(text))) }));
  const valibot = await asking(false, { tool: 'generate_response', input: { at: '2026-01-02T03:04:05Z' } }).agent.call('When?', { schema: dates });
  expect(valibot.getStructuredData().at.getTime()).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
  const ark = await asking(true, '{"at":"2026-01-02T03:04:05Z"}').agent.call('When?', { schema: type({ at: 'string.date.iso.parse' }) });
  expect(ark.getStructuredData().at.getTime()).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
});

test('a check of the library that the JSON form does not say counts too', async () => {
  const Even = z.object({ n: z.number().refine(async (n) => n % 2 === 0, 'an even number, please') });
  const { agent, model } = asking(false, { tool: 'generate_response', input: { n: 3 } }, { tool: 'generate_response', input: { n: 4 } });
  expect((await agent.call('n?', { schema: Even })).getStructuredData()).toEqual({ n: 4 });
  expect(JSON.stringify(model.requests[1]?.messages.at(-1)?.content)).toContain('n: an even number, please');
});

test('a schema without a JSON form is refused before anything is stored', async () => {
  const bad: readonly unknown[] = [z.date(), z.object({ at: z.map(z.string(), z.string()) }), valibotPerson, null, 3, 'string', () => true, { default: 1n }, [].values()];
  for (const schema of bad) {
    const { agent, model } = asking(true, 'never');
    await expect(agent.call('go', { schema: schema as Schema })).rejects.toMatchObject({ code: 'config/invalid', details: { option: 'schema' } });
    expect([await agent.session().messages(), model.requests]).toEqual([[], []]);
  }
});
