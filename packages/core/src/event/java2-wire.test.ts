import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AgentScopeError } from '../error/index.ts';
import { createEvent, createFold, parseEvent, toJava2 } from './index.ts';
import type { AgentEvent } from './index.ts';

interface Item {
  readonly input?: unknown;
  readonly inputText?: string;
  readonly java2?: unknown;
  readonly kind?: string;
}
const folder = new URL('../../fixtures/wire/java2/', import.meta.url);
const read = (file: string): { readonly title: string; readonly items: readonly Item[] } => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

for (const file of readdirSync(folder).filter((name) => name.startsWith('event-'))) {
  const { title, items } = read(file);
  test(`S0-033 S0-046 ${file}: ${title}`, () => {
    for (const { input, inputText, java2 = input } of items) {
      const event = parseEvent(inputText === undefined ? input : JSON.parse(inputText));
      expect(toJava2(event)).toEqual(java2);
      expect(toJava2(parseEvent(java2))).toEqual(java2);
      expect(parseEvent(JSON.parse(JSON.stringify(toJava2(event, { extensions: true }))))).toEqual(event);
    }
  });
}

test('reject-01.json: what is no event is refused, an unknown type can be kept', () => {
  for (const { input } of read('reject-01.json').items.filter(({ kind }) => kind === 'event')) {
    let error: unknown;
    try {
      parseEvent(input);
    } catch (thrown) {
      error = thrown;
    }
    expect(AgentScopeError.is(error, 'event/invalid') || AgentScopeError.is(error, 'wire/unknown-type')).toBe(true);
  }
  const warp = { type: 'WARP', id: 'e' };
  const kept = parseEvent(warp, { unknown: 'keep' });
  expect(toJava2(kept)).toEqual(warp);
  const fold = createFold();
  fold.apply(kept);
  expect(fold.message()).toBeUndefined();
});

test('the extended form of a delta is the event itself, not a copy', () => {
  const event = createEvent('TEXT_BLOCK_DELTA', { replyId: 'r', blockId: 'b', delta: 'x' });
  expect(toJava2(event, { extensions: true })).toBe(event);
  expect(event).toEqual({ type: 'TEXT_BLOCK_DELTA', id: '', createdAt: '', replyId: 'r', blockId: 'b', delta: 'x' });
});

test('S0-062 the block form and the flat form of tool data fold to the same output', () => {
  const outputs = [
    { data: { type: 'data', id: 'd', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } } },
    { data: 'AAAA', mediaType: 'image/png', blockId: 'd' },
    { data: 'AAAA', media_type: 'image/png', block_id: 'd', tool_call_id: 'c' },
  ].map((form) => {
    const fold = createFold();
    fold.apply(parseEvent({ type: 'TOOL_RESULT_DATA_DELTA', id: 'e', replyId: 'r', toolCallId: 'c', ...form }));
    return fold.message()?.getFirstContentBlock('tool_result')?.output;
  });
  expect(outputs[0]).toEqual([{ type: 'data', id: 'd', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } }]);
  expect(outputs[1]).toEqual(outputs[0]);
  expect(outputs[2]).toEqual(outputs[0]);
});

test('USER_INTERRUPT is a CUSTOM to Java, and is read back', () => {
  const event: AgentEvent = { type: 'USER_INTERRUPT', id: 'e', createdAt: '2026-01-01T00:00:00.000Z', replyId: 'r', metadata: { by: null } };
  expect(toJava2(event)).toEqual({ type: 'CUSTOM', id: 'e', createdAt: '2026-01-01T00:00:00.000Z', name: 'user_interrupt', value: { replyId: 'r' } });
  expect(parseEvent(toJava2(event, { extensions: true }))).toEqual(event);
});

test('S0-033 each line of each scenario stands alone', () => {
  const scenarios = new URL('../scenarios/', folder);
  for (const file of readdirSync(scenarios).filter((name) => name.endsWith('.jsonl'))) {
    for (const line of readFileSync(new URL(file, scenarios), 'utf8').trim().split('\n')) expect(parseEvent(JSON.parse(line)).type).toMatch(/^[A-Z_]+$/);
  }
});
