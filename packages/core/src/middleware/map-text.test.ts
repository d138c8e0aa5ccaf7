import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { mapText } from './map-text.ts';

const WHERE = { replyId: 'r', blockId: 'b' };
const EMAIL = /[\w.+-]+@[\w-]+\.\w+/g;
const redact = (text: string): string => text.replace(EMAIL, '[address]');

async function* saying(pieces: readonly string[], end = 'done'): AsyncGenerator<AgentEvent, string, undefined> {
  yield createEvent('TEXT_BLOCK_START', WHERE);
  for (const delta of pieces) yield createEvent('TEXT_BLOCK_DELTA', { ...WHERE, delta });
  yield createEvent('TEXT_BLOCK_END', WHERE);
  return end;
}

async function textOf(events: AsyncGenerator<AgentEvent, unknown, undefined>): Promise<{ text: string; types: string[]; result: unknown }> {
  let text = '';
  const types: string[] = [];
  for (;;) {
    const step = await events.next();
    if (step.done === true) return { text, types, result: step.value };
    types.push(step.value.type);
    if (step.value.type === 'TEXT_BLOCK_DELTA') text += step.value.delta;
  }
}

test('I6 C139 however the text is cut, it is rewritten as if it came in one piece, and the result of the stage passes through', async () => {
  const word = fc.constantFrom('a@b.de', 'ada.lovelace+x@example.org', ' ', 'mail ', 'no address', '@', '.', 'x', '🟢', '12');
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 30 }), fc.array(fc.nat(6), { maxLength: 200 }), async (words, cuts) => {
      const whole = words.join(' ');
      const pieces: string[] = [];
      for (let at = 0, i = 0; at < whole.length; i++) pieces.push(whole.slice(at, (at += 1 + (cuts[i] ?? 3))));
      const { text, types, result } = await textOf(mapText(saying(pieces), redact, { lookbehind: 40 }));
      expect(text).toBe(redact(whole));
      expect([types[0], types.at(-1), result]).toEqual(['TEXT_BLOCK_START', 'TEXT_BLOCK_END', 'done']);
    }),
    { numRuns: 300 },
  );
});

test('text is not held longer than it has to be, and half a character never goes alone', async () => {
  const seen: string[] = [];
  for await (const event of mapText(saying(['0123456789'.repeat(3), '🟢'.repeat(20)]), (text) => text, { lookbehind: 5 })) if (event.type === 'TEXT_BLOCK_DELTA') seen.push(event.delta);
  expect(seen[0]).toBe('0123456789'.repeat(3).slice(0, -5));
  expect([seen.join(''), seen.every((text) => text.isWellFormed())]).toEqual([`${'0123456789'.repeat(3)}${'🟢'.repeat(20)}`, true]);
  expect((await textOf(mapText(saying(['abc', 'def']), (text) => text.toUpperCase(), { lookbehind: 0 }))).text).toBe('ABCDEF');
});

test('output of tools and thinking are text too; what is taken back is not said later', async () => {
  const call = { replyId: 'r', toolCallId: 'c', toolCallName: 't' };
  async function* events(): AsyncGenerator<AgentEvent, void, undefined> {
    yield createEvent('TOOL_RESULT_TEXT_DELTA', { ...call, delta: 'call 12' });
    yield createEvent('TOOL_RESULT_TEXT_DELTA', { ...call, delta: '34' });
    yield createEvent('TOOL_RESULT_END', { ...call, state: 'success' });
    yield createEvent('TEXT_BLOCK_START', WHERE);
    yield createEvent('TEXT_BLOCK_DELTA', { ...WHERE, delta: 'half' });
    yield createEvent('MODEL_CALL_END', { replyId: 'r', metadata: { discarded: true } });
    yield createEvent('TEXT_BLOCK_START', { ...WHERE, blockId: 'c' });
    yield createEvent('TEXT_BLOCK_DELTA', { ...WHERE, blockId: 'c', delta: '7' });
    yield createEvent('TEXT_BLOCK_END', { ...WHERE, blockId: 'c' });
  }
  const said: string[] = [];
  for await (const event of mapText(events(), (text) => text.replaceAll(/\d+/g, (digits) => '#'.repeat(digits.length)))) if ('delta' in event) said.push(event.delta);
  expect(said).toEqual(['call ####', '#']);
});
