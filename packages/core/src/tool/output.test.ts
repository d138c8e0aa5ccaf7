import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defineTool, toolResult } from './index.ts';
import { MAX_OUTPUT_CHARACTERS } from './output-limit.ts';
import { createToolContext } from './tool-context.ts';

const LIMIT = MAX_OUTPUT_CHARACTERS;

/** The whole text of a run that yields the chunks, or returns the first. */
async function textOf(chunks: readonly string[], { stream = true } = {}): Promise<string> {
  async function* yielding(): AsyncGenerator<string> {
    yield* chunks;
  }
  const tool = defineTool({ name: 't', description: '', execute: (): unknown => (stream ? yielding() : chunks.join('')) });
  const parts: string[] = [];
  const output = await tool.execute({}, createToolContext(), (piece) => parts.push(piece.type === 'text' ? piece.text : ''));
  return parts.concat(output.content.map((block) => (block.type === 'text' ? block.text : ''))).join('');
}

test('C133 text beyond the limit is cut and counted, streamed or not', async () => {
  const long = 'x'.repeat(LIMIT + 500);
  const expected = `${'x'.repeat(LIMIT)}\n[Output cut: the first ${LIMIT} of ${LIMIT + 500} characters are shown.]`;
  expect(await textOf([long], { stream: false })).toBe(expected);
  expect(await textOf([long.slice(0, 70_000), long.slice(70_000)])).toBe(expected);
  expect(await textOf(['x'.repeat(LIMIT)], { stream: false })).toBe('x'.repeat(LIMIT));
});

test('C133 a result of several blocks is cut as a whole, and pictures stay', async () => {
  const picture = { type: 'data', source: { type: 'url', url: 'https://example.com/a.png' } } as const;
  const tool = defineTool({ name: 't', description: '', execute: () => toolResult(['a'.repeat(LIMIT), picture, 'b'.repeat(10)]) });
  const { content } = await tool.execute({}, createToolContext(), () => undefined);
  expect(content).toEqual([{ type: 'text', text: 'a'.repeat(LIMIT) }, picture, { type: 'text', text: `\n[Output cut: the first ${LIMIT} of ${LIMIT + 10} characters are shown.]` }]);
});

test('C129 a cut never goes through a pair, and lone halves become U+FFFD', async () => {
  const cut = await textOf([`${'x'.repeat(LIMIT - 1)}🟢🟢`], { stream: false });
  expect(cut.startsWith(`${'x'.repeat(LIMIT - 1)}\n[Output cut`)).toBe(true);
  expect(await textOf(['a\ud83d'], { stream: false })).toBe('a\ufffd');
  expect(await textOf(['\udfe2a'], { stream: false })).toBe('\ufffda');
  expect(await textOf(['a\ud83d'])).toBe('a\ufffd');
});

test('C129 a pair split over two chunks is put together', async () => {
  expect(await textOf(['a\ud83d', '\udfe2b'])).toBe('a🟢b');
});

test('C129 C133 any text cut anywhere gives the same well-formed, bounded text', async () => {
  const piece = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud83d', '\udfe2', '🟢'), fc.nat(60_000).map((n) => 'é'.repeat(n)), fc.string({ unit: 'grapheme' }));
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (chunks) => {
      const whole = chunks.join('');
      fc.pre(whole !== '');
      const streamed = await textOf(chunks);
      expect(streamed).toBe(await textOf(chunks, { stream: false }));
      expect(streamed.isWellFormed()).toBe(true);
      const isRight = whole.length <= LIMIT ? streamed === whole.toWellFormed() : streamed.length <= LIMIT + 100;
      expect(isRight).toBe(true);
    }),
    { numRuns: 60 },
  );
});
