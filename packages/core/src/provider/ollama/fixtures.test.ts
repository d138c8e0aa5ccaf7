import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode, mutations } from '../../../test/decode.ts';
import { cut, fixtureRoot, fixturesOf, linesOf, truthOf } from '../../../test/fixture-files.ts';
import type { TruthResponse } from '../../../test/fixture-files.ts';
import { playBytes, playServer } from '../../../test/play-server.ts';
import { AgentScopeError } from '../../error/index.ts';
import { toolNames } from '../../formatter/index.ts';
import { Msg } from '../../message/index.ts';
import { collectResponse } from '../../model/index.ts';
import type { ChatResponse, ChatResponseChunk } from '../../model/index.ts';
import { OllamaChatModel } from './model.ts';
import { createDecoder } from './response.ts';

const files = fixturesOf(['ollama']);
const nothing = 'no recorded answers at hand: set AGENTSCOPE_SHARED, or put shared/ beside the repository';
const decoder = (): ReturnType<typeof createDecoder> => createDecoder({ provider: 'ollama', status: 200, headers: new Headers(), names: toolNames(undefined), ignored: [] });

for (const file of files) {
  test(`S4-049 decodes ${file.slice(fixtureRoot.length + 1)} to its truth, however its bytes were cut`, async () => {
    const [expected] = truthOf(file);
    if (expected === undefined) throw new Error('a truth without a response');
    for (const seed of [0, 1, 2, 3]) expect(await play(file, cut(readFileSync(file), seed))).toEqual(wanted(expected));
  });

  test(`I6 C001 ${file.slice(fixtureRoot.length + 1)} cut at random says the same`, async () => {
    const body = readFileSync(file);
    const whole = comparable(await decode(decoder(), [body]));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(body.length), { maxLength: 20 }), async (places) => {
        const at = [0, ...places.toSorted((a, b) => a - b), body.length];
        expect(comparable(await decode(decoder(), at.slice(1).map((end, n) => body.subarray(at[n], end))))).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });
}

test('a stream said as one answer, and an answer said as one line of a stream, are the same answer', async ({ skip }) => {
  if (files.length === 0) skip(nothing);
  for (const file of files.filter((name) => name.endsWith('.json'))) {
    const spread = readFileSync(file, 'utf8');
    const line = JSON.stringify(JSON.parse(spread));
    const one = await decode(decoder(), [spread]);
    for (const body of [line, `\ufeff${line}\r\n\r\n`]) expect(comparable(await decode(decoder(), [body]))).toEqual(comparable(one));
    expect(one.response?.content).toEqual([{ type: 'text', text: 'Four.' }]);
  }
});

test('every file of the folder was read', ({ skip }) => {
  if (files.length === 0) skip(nothing);
  expect(files).toHaveLength(4);
});

for (const file of files.filter((name) => name.endsWith('.ndjson'))) {
  test(`C010 ${file.slice(fixtureRoot.length + 1)} with a line dropped, repeated, moved or broken is an answer or a typed error, and no success without its end`, async () => {
    const lines = linesOf(file).map((line) => `${line}\n`);
    const isFailure = truthOf(file)[0]?.error !== null;
    const kinds = new Set<string>();
    for (const { what, at, frames } of mutations(lines)) {
      const { response, error } = await decode(decoder(), frames);
      expect(error === undefined ? response?.finishReason : error.code).toMatch(/^(?:stop|tool_calls|model\/bad-stream)$/);
      const endless = what === 'ended' || what === 'broken' || (what === 'dropped' && at === lines.length - 1);
      if (endless || (isFailure && what !== 'dropped')) expect([what, at, error?.code]).toEqual([what, at, 'model/bad-stream']);
      kinds.add(`${what} ${error === undefined ? 'answer' : 'error'}`);
    }
    expect(kinds.has('dropped error') && kinds.has('ended error') && kinds.has('broken error')).toBe(true);
  });
}

async function play(file: string, pieces: readonly Uint8Array[]): Promise<unknown> {
  const stream = file.endsWith('.ndjson');
  const server = await playServer(playBytes(pieces, { type: stream ? 'application/x-ndjson' : 'application/json; charset=utf-8' }));
  const chunks: ChatResponseChunk[] = [];
  let error: unknown;
  try {
    for await (const chunk of new OllamaChatModel({ modelName: 'qwen3:8b', baseUrl: server.baseUrl, stream, maxRetries: 0 }).stream({ messages: [new Msg({ content: 'hi' })] })) chunks.push(chunk);
  } catch (thrown) {
    error = thrown;
  }
  return found(await collectResponse(listed(chunks)), error);
}

async function* listed(chunks: readonly ChatResponseChunk[]): AsyncGenerator<ChatResponseChunk> {
  yield* chunks;
}

function found({ content, finishReason, usage, metadata }: ChatResponse, error: unknown): object {
  return {
    textParts: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
    reasoningParts: content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])),
    toolCalls: content.flatMap((block) => (block.type === 'tool_use' ? [{ name: block.name, args: block.input }] : [])),
    finish: AgentScopeError.is(error) ? { raw: null, normalized: 'error' } : { raw: metadata?.['providerFinishReason'], normalized: finishReason },
    usage: usage === undefined ? null : { input: usage.inputTokens, output: usage.outputTokens, cached: usage.cachedTokens ?? null, raw: counts(metadata?.['usage']) },
    error: AgentScopeError.is(error) ? error.message.replace(/^.* It said: /, '') : null,
  };
}

/** The truth leaves the times out. */
function counts(raw: unknown): unknown {
  return Object.fromEntries(Object.entries(raw as object).filter(([name]) => name.endsWith('_count')));
}

function wanted({ textParts, reasoningParts, toolCalls, finish, usage, error }: TruthResponse): object {
  return {
    textParts,
    reasoningParts,
    toolCalls: toolCalls.map(({ name, args }) => ({ name, args })),
    finish,
    usage: usage === null ? null : { input: usage.input, output: usage.output, cached: usage.cached, raw: usage.raw },
    error: error?.message ?? null,
  };
}

/** Without the ids we make. */
function comparable({ response, error, said }: Awaited<ReturnType<typeof decode>>): unknown {
  const content = response?.content.map((block) => (block.type === 'tool_use' ? { ...block, id: '' } : block));
  const text = said.flatMap((chunk) => chunk.content.flatMap((one) => (one.type === 'text' ? [one.text] : []))).join('');
  return { content, text, finish: response?.finishReason, usage: response?.usage, error: error?.message };
}
