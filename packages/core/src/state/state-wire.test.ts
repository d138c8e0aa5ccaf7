import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAgentState, toJava2, toPython2 } from './index.ts';
import type { AgentState } from './index.ts';

interface Item {
  readonly input: Readonly<Record<string, unknown>>;
  readonly java2?: unknown;
  readonly python2?: unknown;
  readonly roundTrip?: string;
  readonly expectDefaults?: Readonly<Record<string, unknown>>;
}
const read = (file: string): readonly Item[] => JSON.parse(readFileSync(new URL(`../../fixtures/wire/${file}`, import.meta.url), 'utf8')).items;

for (const dialect of ['java2', 'python2'] as const) {
  test(`${dialect}/state-01.json: reads, writes both dialects, and comes back exactly in its own`, () => {
    for (const { input, java2, python2, roundTrip, expectDefaults } of read(`${dialect}/state-01.json`)) {
      for (const state of [parseAgentState(input), parseAgentState(input, { dialect }), parseAgentState(JSON.stringify(input))]) {
        if (java2 !== undefined) expect(toJava2(state)).toEqual(java2);
        if (python2 !== undefined) expect(toPython2(state)).toEqual(python2);
        if (expectDefaults !== undefined) expect(toJava2(state)).toMatchObject(expectDefaults);
        if (dialect === 'java2' && roundTrip === 'exact') expect(toJava2(state)).toEqual(input);
        expect(parseAgentState(JSON.parse(JSON.stringify(toJava2(state, { extensions: true }))))).toEqual(state);
      }
    }
  });
}

test('a state of Python 2 comes back exactly: its list summary, its reply context, its file cache', () => {
  const [newer] = read('python2/state-01.json');
  const input = { ...newer?.input, middle_context: { k: [1] }, reply_context: { reply_id: 'r', cur_iter: 1, structured_schema: { type: 'object' }, structured_output: null } };
  expect(toPython2(parseAgentState(input))).toEqual(input);
  expect(toPython2(parseAgentState(toJava2(parseAgentState(input), { extensions: true })))).toEqual(input);
  expect(toPython2({ ...parseAgentState(input), summary: 'changed' })).toMatchObject({ summary: 'changed' });
});

test('a call that asks survives the way through the other language: its state and the id of the request', () => {
  const [java] = read('java2/state-01.json');
  const over = parseAgentState(toPython2(parseAgentState(java?.input)));
  const [, paused] = over.context;
  expect(paused?.getFirstContentBlock('tool_use')).toMatchObject({ id: 'c-1', state: 'asking', input: { cmd: 'ls' } });
  expect(paused?.metadata).toEqual({ agentscope_confirm_request_reply_id: 'rep-1' });
  expect([over.replyId, over.curIter]).toEqual(['rep-1', 2]);
});

test('what is no state is refused with the path', () => {
  const refused: readonly [unknown, string][] = [
    [[], ''],
    ['{"session_id": "s", "cont', ''],
    [{ context: {} }, 'context'],
    [{ context: [{ role: 'user', content: [{ text: 'x' }] }] }, 'context[0].content[0].type'],
    [{ context: [{ role: 'user' }, { role: 'owner' }] }, 'context[1].role'],
    [{ tool_context: [] }, 'tool_context'],
    [{ session_id: 5 }, 'session_id'],
    [{ cur_iter: 'two' }, 'cur_iter'],
  ];
  for (const [json, path] of refused) expect(() => parseAgentState(json)).toThrow(expect.objectContaining({ code: 'message/invalid', details: expect.objectContaining({ path }) }));
  expect(() => parseAgentState({ context: [{ role: 'user', content: [{ type: 'smell' }] }] })).toThrow(expect.objectContaining({ code: 'wire/unknown-type' }));
});

test('any state is a fixed point of each dialect, and equal after the extended form', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 5 });
  const states = fc.record({
    session_id: fc.string({ minLength: 1, maxLength: 4 }),
    user_id: fc.option(fc.constant('u')),
    summary: fc.oneof(text, fc.array(fc.record({ type: fc.constant('text'), text }), { maxLength: 2 })),
    context: fc.array(fc.record({ id: fc.constantFrom('a', '__proto__'), role: fc.constantFrom('USER', 'assistant'), name: fc.option(text), content: fc.array(fc.record({ type: fc.constant('text'), text }), { maxLength: 2 }), metadata: fc.dictionary(fc.constantFrom('k', 'constructor'), fc.jsonValue({ maxDepth: 2 })), timestamp: fc.constant('2026-01-01 00:00:00.000') }), { maxLength: 2 }),
    reply_id: fc.constant('r'),
    shutdown_interrupted: fc.boolean(),
    tool_context: fc.record({ activated_groups: fc.array(text, { maxLength: 2 }) }),
    mood: fc.option(text),
  });
  fc.assert(
    fc.property(states, (json) => {
      const state: AgentState = parseAgentState(json);
      expect(parseAgentState(JSON.parse(JSON.stringify(toJava2(state, { extensions: true }))))).toEqual(state);
      expect(toJava2(parseAgentState(toJava2(state)))).toEqual(toJava2(state));
      expect(toPython2(parseAgentState(toPython2(state)))).toEqual(toPython2(state));
    }),
  );
});
