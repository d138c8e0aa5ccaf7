import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AgentScopeError } from '../error/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { Increment } from '../model/index.ts';
import { BlockWriter } from './block-writer.ts';

function write(increments: readonly Increment[], { batches = [increments], withoutCalls = false }: { batches?: readonly (readonly Increment[])[]; withoutCalls?: boolean } = {}): AgentEvent[] {
  const writer = new BlockWriter({ replyId: 'r', prefix: 'b1.1', withoutCalls });
  const events: AgentEvent[] = [];
  try {
    for (const batch of batches) writer.write(batch, events);
  } catch (error) {
    if (!AgentScopeError.is(error, 'model/bad-stream')) throw error; // what came before it stays
  }
  writer.close(events);
  return events;
}
const short = (events: readonly AgentEvent[]): string[] =>
  events.map((event) => `${event.type} ${'blockId' in event ? event.blockId : 'toolCallId' in event ? event.toolCallId : ''}${'delta' in event ? ` ${event.delta}` : ''}`);

const text = (index: number, value: string): Increment => ({ index, type: 'text', text: value });
const think = (index: number, value: string): Increment => ({ index, type: 'thinking', thinking: value });
const call = (index: number, id: string, content: string): Increment => ({ index, type: 'tool_use', id, name: 'f', content });

test('C048 S0-055 thinking ends before text starts, text ends before a call starts', () => {
  expect(short(write([think(0, 'a'), think(0, 'b'), text(1, 'c'), text(1, 'd'), call(2, 'x', '{}'), text(3, 'e')]))).toEqual([
    'THINKING_BLOCK_START b1.1.1',
    'THINKING_BLOCK_DELTA b1.1.1 a',
    'THINKING_BLOCK_DELTA b1.1.1 b',
    'THINKING_BLOCK_END b1.1.1',
    'TEXT_BLOCK_START b1.1.2',
    'TEXT_BLOCK_DELTA b1.1.2 c',
    'TEXT_BLOCK_DELTA b1.1.2 d',
    'TEXT_BLOCK_END b1.1.2',
    'TOOL_CALL_START x',
    'TOOL_CALL_DELTA x {}',
    'TEXT_BLOCK_START b1.1.3',
    'TEXT_BLOCK_DELTA b1.1.3 e',
    'TEXT_BLOCK_END b1.1.3',
    'TOOL_CALL_END x',
  ]);
});

test('S0-059 a call without arguments says {} once', () => {
  expect(short(write([call(0, 'x', '')]))).toEqual(['TOOL_CALL_START x', 'TOOL_CALL_DELTA x {}', 'TOOL_CALL_END x']);
});

test('C024 two calls of one answer with the same id become two', () => {
  expect(short(write([call(0, 'x', '{"a":1}'), call(1, 'x', '{"a":2}')])).filter((line) => line.includes('DELTA'))).toEqual(['TOOL_CALL_DELTA x {"a":1}', 'TOOL_CALL_DELTA x_2 {"a":2}']);
});

test('private facts of a block ride on its END', () => {
  const events = write([{ index: 0, type: 'thinking', thinking: 'x', metadata: { signature: 's' } }, { index: 0, type: 'thinking', thinking: '', metadata: { more: 1 } }]);
  expect(events.at(-1)).toMatchObject({ type: 'THINKING_BLOCK_END', metadata: { block: { signature: 's', more: 1 } } });
});

test('a summary drops calls', () => {
  expect(short(write([text(0, 'a'), call(1, 'x', '{}')], { withoutCalls: true }))).toEqual(['TEXT_BLOCK_START b1.1.1', 'TEXT_BLOCK_DELTA b1.1.1 a', 'TEXT_BLOCK_END b1.1.1']);
});

const increment: fc.Arbitrary<Increment> = fc.oneof(
  fc.record({ index: fc.nat(3), type: fc.constant('text' as const), text: fc.string({ maxLength: 3 }) }),
  fc.record({ index: fc.nat(3), type: fc.constant('thinking' as const), thinking: fc.string({ maxLength: 3 }) }),
  fc.record({ index: fc.integer({ min: 4, max: 7 }), type: fc.constant('tool_use' as const), id: fc.constantFrom('', 'a', 'b', '__proto__'), name: fc.constant('f'), content: fc.string({ maxLength: 3 }), done: fc.boolean() }),
);

test('I2 I3 C047 for any increments: one block open at a time, every START has its END, no id twice', () => {
  fc.assert(
    fc.property(fc.array(increment), (increments) => {
      const open = new Set<string>();
      const used = new Set<string>();
      for (const event of write(increments)) {
        const id = 'blockId' in event ? event.blockId : 'toolCallId' in event ? event.toolCallId : '';
        if (event.type.endsWith('_START')) {
          expect(used.has(id)).toBe(false);
          if ('blockId' in event || event.type === 'TOOL_CALL_START') expect([...open].filter((other) => other.startsWith('b1.1'))).toEqual([]);
          used.add(id);
          open.add(id);
        } else {
          expect(open.has(id)).toBe(true);
          if (event.type.endsWith('_END')) open.delete(id);
        }
      }
      expect([...open]).toEqual([]);
    }),
  );
});
