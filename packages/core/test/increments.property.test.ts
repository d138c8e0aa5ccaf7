// An answer read through the agent's loop and one collected at once are the same answer.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockWriter } from '../src/agent/block-writer.ts';
import { createEvent, foldEvents } from '../src/event/index.ts';
import type { AgentEvent } from '../src/event/index.ts';
import type { ContentBlock } from '../src/message/index.ts';
import { collectResponse } from '../src/model/index.ts';
import type { ChatResponseChunk, Increment } from '../src/model/index.ts';

const index = fc.integer({ min: 0, max: 3 });
const metadata = fc.constantFrom(undefined, undefined, { a: 1 }, { b: 'x' }, {});
const done = fc.constantFrom(undefined, undefined, undefined, true, false);
const words = fc.constantFrom('', 'a', 'b ', 'ü', '\ud83d', '\udfe2');
const source = fc.oneof(
  fc.record({ type: fc.constant('base64' as const), data: fc.constantFrom('', 'AAAA', 'AA==', 'AAA', 'QUJD', 'B'), mediaType: fc.constantFrom('audio/wav', 'image/png') }),
  fc.record({ type: fc.constant('url' as const), url: fc.constantFrom('https://example.com/a', 'https://example.com/b'), mediaType: fc.constantFrom('image/png', undefined) }),
);
const increment: fc.Arbitrary<Increment> = fc.oneof(
  fc.record({ type: fc.constant('text'), index, text: words, metadata, done }),
  fc.record({ type: fc.constant('thinking'), index, thinking: words, metadata, done }),
  fc.record({ type: fc.constant('data'), index, data: source, metadata, done, name: fc.constantFrom(undefined, 'n', 'm') }),
  fc.record({ type: fc.constant('tool_use'), index, id: fc.constantFrom('x', 'y', 'z'), name: fc.constantFrom(undefined, 'f', 'g'), content: fc.constantFrom('', '{', '}', '"a":1', '{"a":1}'), metadata, done }),
) as fc.Arbitrary<Increment>;

async function* streamOf(batches: readonly (readonly Increment[])[]): AsyncGenerator<ChatResponseChunk> {
  for (const content of batches) yield { id: 'r', content };
}

/** What the loop makes of the increments, or the code of the error it throws. */
function folded(batches: readonly (readonly Increment[])[]): readonly object[] | string {
  const events: AgentEvent[] = [createEvent('AGENT_START', { replyId: 'r', name: 'a', sessionId: 's', role: 'assistant' }), createEvent('MODEL_CALL_START', { replyId: 'r', modelName: 'm', metadata: { call: 1, purpose: 'reason' } })];
  const writer = new BlockWriter({ replyId: 'r', prefix: 'b' });
  try {
    for (const batch of batches) writer.write(batch, events);
  } catch (error) {
    return (error as { code: string }).code;
  }
  writer.close(events);
  return (foldEvents(events.map((event, at) => ({ ...event, id: `r:1:${at + 1}`, createdAt: '2026-01-01T00:00:00.000Z' })))?.content ?? []).map(essence);
}

async function collected(batches: readonly (readonly Increment[])[]): Promise<readonly object[] | string> {
  return collectResponse(streamOf(batches)).then(({ content }) => content.map(essence), (error: { code: string }) => error.code);
}

/** Without the ids and times the loop gives its blocks. */
function essence(block: ContentBlock): object {
  const { createdAt: _createdAt, finishedAt: _finishedAt, call: _call, id, ...rest } = block as ContentBlock & { id?: string };
  return block.type === 'tool_use' ? { ...rest, id } : rest;
}

test('C048 any increments, cut into any chunks: the fold of what the loop writes is what is collected', async () => {
  let interleaved = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(increment, { maxLength: 4 }), { maxLength: 8 }), async (batches) => {
      const blocks = await collected(batches);
      if (blocks.length > new Set(batches.flat().map((one) => one.index)).size) interleaved++;
      expect(blocks).toEqual(folded(batches));
    }),
    { numRuns: 1_000 },
  );
  expect(interleaved).toBeGreaterThan(30);
});
