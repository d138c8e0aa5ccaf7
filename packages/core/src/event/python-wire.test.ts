import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseEvent, toJava2, toPython2, translateEvents } from './index.ts';
import type { AgentEvent } from './index.ts';

interface Item {
  readonly input: unknown;
  readonly java2?: unknown;
  readonly python2?: unknown;
  readonly roundTrip?: string;
}
const root = new URL('../../fixtures/wire/', import.meta.url);
const read = (file: string): { readonly title: string; readonly items: readonly Item[] } => JSON.parse(readFileSync(new URL(file, root), 'utf8'));

for (const dialect of ['python2', 'java2'] as const) {
  for (const file of readdirSync(new URL(`${dialect}/`, root)).filter((name) => name.startsWith('event-') && !name.includes('08'))) {
    const { title, items } = read(`${dialect}/${file}`);
    test(`${dialect}/${file}: ${title}`, () => {
      for (const { input, java2, python2, roundTrip } of items) {
        const event = parseEvent(input);
        if (java2 !== undefined) expect(toJava2(event)).toEqual(java2);
        if (python2 !== undefined) expect(toPython2(event) ?? null).toEqual(python2);
        if (dialect === 'python2') {
          expect(parseEvent(input, { dialect })).toEqual(event);
          if (roundTrip === 'exact') expect(toPython2(event)).toEqual(input);
        }
        expect(parseEvent(JSON.parse(JSON.stringify(toJava2(event, { extensions: true }))))).toEqual(event);
      }
    });
  }
}

test('a stream is translated, and a call that was taken back can be held', async () => {
  const event = (type: string, more: object = {}): AgentEvent => ({ type, id: '', createdAt: '', replyId: 'r', ...more }) as unknown as AgentEvent;
  const events = [event('AGENT_START', { name: 'a', sessionId: 's', role: 'assistant' }), event('MODEL_CALL_START'), event('TEXT_BLOCK_DELTA', { blockId: 'b', delta: 'lost' }), event('MODEL_CALL_END', { metadata: { discarded: true } }), event('AGENT_RESULT')];
  const types = async (partial: 'hold' | 'show'): Promise<unknown[]> => {
    const written: unknown[] = [];
    for await (const line of translateEvents(events, { to: 'python2', partial })) written.push(line['type']);
    return written;
  };
  expect(await types('show')).toEqual(['REPLY_START', 'MODEL_CALL_START', 'TEXT_BLOCK_DELTA', 'MODEL_CALL_END']);
  expect(await types('hold')).toEqual(['REPLY_START', 'MODEL_CALL_START', 'MODEL_CALL_END']);
});
