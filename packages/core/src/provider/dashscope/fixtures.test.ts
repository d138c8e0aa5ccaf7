import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode, mutations } from '../../../test/decode.ts';
import { cut, fixtureRoot, fixturesOf, truthOf } from '../../../test/fixture-files.ts';
import type { TruthResponse } from '../../../test/fixture-files.ts';
import { playBytes, playServer } from '../../../test/play-server.ts';
import { AgentScopeError } from '../../error/index.ts';
import { toolNames } from '../../formatter/index.ts';
import { Msg } from '../../message/index.ts';
import { collectResponse } from '../../model/index.ts';
import type { ChatResponse, ChatResponseChunk } from '../../model/index.ts';
import { DashScopeChatModel } from './model.ts';
import { createDecoder } from './response.ts';

const files = fixturesOf(['dashscope-native']);
const nothing = 'no recorded answers at hand: set AGENTSCOPE_SHARED, or put shared/ beside the repository';
/** As the request says, and so it is known before the answer comes. */
const isIncremental = (file: string): boolean => !file.includes('cumulative');
const decoder = (file: string): ReturnType<typeof createDecoder> => createDecoder({ provider: 'dashscope', status: 200, headers: new Headers(), names: toolNames(undefined), incremental: isIncremental(file), ignored: [] });
const streams = files.filter((name) => name.endsWith('.sse'));

for (const file of files) {
  test(`S4-049 decodes ${file.slice(fixtureRoot.length + 1)} to its truth, however its bytes were cut`, async () => {
    const [expected] = truthOf(file);
    if (expected === undefined) throw new Error('a truth without a response');
    for (const seed of [0, 1, 2, 3]) expect(await play(file, cut(readFileSync(file), seed))).toEqual(wanted(expected));
  });
}

for (const file of streams) {
  test(`I6 C001 ${file.slice(fixtureRoot.length + 1)} cut at random says the same`, async () => {
    const body = readFileSync(file);
    const whole = comparable(await decode(decoder(file), [body]));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(body.length), { maxLength: 20 }), async (places) => {
        const at = [0, ...places.toSorted((a, b) => a - b), body.length];
        expect(comparable(await decode(decoder(file), at.slice(1).map((end, n) => body.subarray(at[n], end))))).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });

  test(`the answer of ${file.slice(fixtureRoot.length + 1)}, not streamed, is the same answer`, async () => {
    const streamed = await decode(decoder(file), [readFileSync(file)]);
    expect(comparable(await decode(decoder(file), [JSON.stringify(wholeOf(file))]))).toMatchObject({ content: streamed.response?.content, finish: streamed.response?.finishReason, usage: streamed.response?.usage, error: undefined });
  });

  test(`C010 ${file.slice(fixtureRoot.length + 1)} with a frame dropped, repeated, moved or broken is an answer or a typed error, and no success without its end`, async () => {
    const frames = framesOf(file);
    const kinds = new Set<string>();
    for (const { what, at, frames: changed } of mutations(frames)) {
      const { response, error } = await decode(decoder(file), changed);
      expect(error === undefined ? response?.finishReason : error.code).toMatch(/^(?:stop|tool_calls|model\/bad-stream)$/);
      const endless = what === 'ended' || what === 'broken' || (what === 'dropped' && at === frames.length - 1);
      if (endless) expect([what, at, error?.code]).toEqual([what, at, 'model/bad-stream']);
      kinds.add(`${what} ${error === undefined ? 'answer' : 'error'}`);
    }
    for (const kind of ['dropped answer', 'dropped error', 'repeated answer', 'swapped answer', 'broken error', 'ended error']) expect([...kinds]).toContain(kind);
  });
}

test('C008 everything so far, with any piece lost but the last, repeated or out of order, is still the whole answer', async ({ skip }) => {
  const file = streams.find((name) => !isIncremental(name));
  if (file === undefined) return void skip(nothing);
  for (const { what, at, frames } of mutations(framesOf(file))) {
    if (what === 'broken' || what === 'ended' || at >= framesOf(file).length - 2) continue;
    expect((await decode(decoder(file), frames)).response?.content).toEqual([{ type: 'text', text: 'I am Qwen.' }]);
  }
});

test('every file of the folder was read', ({ skip }) => {
  if (files.length === 0) skip(nothing);
  expect([files.length, streams.length]).toEqual([4, 3]);
});

function framesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8').split('\n\n').filter((frame) => frame.trim() !== '').map((frame) => `${frame}\n\n`);
}

interface Frame {
  readonly output: { readonly choices: readonly { readonly message: { content: string; reasoning_content?: string; tool_calls?: { id: string; function: { name?: string; arguments: string } }[] }; finish_reason: string }[] };
}

/** What the server would have said in one body. */
function wholeOf(file: string): unknown {
  const bodies = framesOf(file).map((frame) => JSON.parse(/^data:(.*)$/m.exec(frame)?.[1] ?? '') as Frame);
  const last = bodies.at(-1);
  const messages = bodies.flatMap(({ output }) => output.choices.map(({ message }) => message));
  if (!isIncremental(file)) return last;
  const calls = messages.flatMap(({ tool_calls: some = [] }) => some);
  const called = { id: calls[0]?.id, type: 'function', function: { name: calls[0]?.function.name, arguments: calls.map((call) => call.function.arguments).join('') } };
  const message = { role: 'assistant', content: messages.map(({ content }) => content).join(''), reasoning_content: messages.map(({ reasoning_content: text = '' }) => text).join(''), ...(calls.length === 0 ? {} : { tool_calls: [called] }) };
  return { ...last, output: { choices: [{ message, finish_reason: last?.output.choices[0]?.finish_reason }] } };
}

async function play(file: string, pieces: readonly Uint8Array[]): Promise<unknown> {
  const stream = file.endsWith('.sse');
  const server = await playServer(playBytes(pieces, { status: stream ? 200 : 400, type: stream ? 'text/event-stream;charset=UTF-8' : 'application/json' }));
  const chunks: ChatResponseChunk[] = [];
  let error: unknown;
  try {
    for await (const chunk of new DashScopeChatModel({ modelName: 'qwen-plus', apiKey: 'k', baseUrl: server.baseUrl, stream, incrementalOutput: isIncremental(file), maxRetries: 0 }).stream({ messages: [new Msg({ content: 'hi' })] })) chunks.push(chunk);
  } catch (thrown) {
    error = thrown;
  }
  return AgentScopeError.is(error) ? failed(error) : found(await collectResponse(listed(chunks)));
}

async function* listed(chunks: readonly ChatResponseChunk[]): AsyncGenerator<ChatResponseChunk> {
  yield* chunks;
}

function failed({ message, details }: AgentScopeError): object {
  const { providerCode, requestId } = details as { providerCode?: string; requestId?: string };
  return { code: providerCode, message: message.replace(/^.* It said: /, ''), requestId: requestId !== undefined };
}

function found({ id, content, finishReason, usage, metadata }: ChatResponse): object {
  return {
    id,
    requestId: metadata?.['requestId'],
    textParts: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
    reasoningParts: content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])),
    toolCalls: content.flatMap((block) => (block.type === 'tool_use' ? [{ id: block.id, name: block.name, args: block.input }] : [])),
    finish: { raw: metadata?.['providerFinishReason'], normalized: finishReason },
    usage: usage === undefined ? null : { input: usage.inputTokens, output: usage.outputTokens, cached: usage.cachedTokens ?? null, raw: metadata?.['usage'] },
  };
}

function wanted({ id, textParts, reasoningParts, toolCalls, finish, usage, error }: TruthResponse): object {
  if (error !== null) return { code: error.code, message: error.message, requestId: true };
  return {
    id,
    requestId: id,
    textParts,
    reasoningParts,
    toolCalls: toolCalls.map((call) => ({ id: call.id, name: call.name, args: call.args })),
    finish,
    usage: usage === null ? null : { input: usage.input, output: usage.output, cached: usage.cached, raw: usage.raw },
  };
}

function comparable({ response, error, said }: Awaited<ReturnType<typeof decode>>): unknown {
  const text = said.flatMap((chunk) => chunk.content.flatMap((one) => (one.type === 'text' ? [one.text] : []))).join('');
  return { content: response?.content, text, finish: response?.finishReason, usage: response?.usage, error: error?.message };
}
