import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decode, mutations } from '../../../test/decode.ts';
import { cut, fixtureRoot, fixturesOf, linesOf } from '../../../test/fixture-files.ts';
import { playBytes, playServer } from '../../../test/play-server.ts';
import { AgentScopeError } from '../../error/index.ts';
import { toolNames } from '../../formatter/index.ts';
import { Msg } from '../../message/index.ts';
import { collectResponse } from '../../model/index.ts';
import type { ChatResponse, ChatResponseChunk } from '../../model/index.ts';
import { AnthropicChatModel } from './model.ts';
import { createDecoder } from './response.ts';

const files = fixturesOf(['anthropic']);

interface Truth {
  readonly id: string;
  readonly model: string;
  readonly textParts: readonly string[];
  readonly reasoningParts: readonly string[];
  readonly toolCalls: readonly { id: string; name: string; args: unknown }[];
  readonly serverToolCalls: readonly { type: string; id: string; name: string; args: unknown }[];
  readonly thinkingBlocks: readonly { chars: number; signature: { length: number; sha256: string } }[];
  readonly otherBlocks: readonly string[];
  readonly finish: { raw: string | null; normalized: string };
  readonly usage: { input: number; output: number; cached: number | null; cacheCreation: number | null; raw: unknown };
  readonly error: { type: string; message: string } | null;
  readonly stopDetails?: unknown;
}

for (const file of files) {
  test(`S4-012 decodes ${file.slice(fixtureRoot.length + 1)} to its truth, however its bytes were cut`, async () => {
    const [truth] = (JSON.parse(readFileSync(`${file}.truth.json`, 'utf8')) as { responses: Truth[] }).responses;
    if (truth === undefined) throw new Error('a truth without a response');
    for (const seed of [0, 1, 2, 3, 4]) expect(found(await play(file, cut(bodyOf(file), seed)))).toEqual(wanted(truth));
  });
}

test('every recorded answer of Anthropic was read', ({ skip }) => {
  if (files.length === 0) skip('no recorded answers at hand: set AGENTSCOPE_SHARED, or put shared/ beside the repository');
  expect(files).toHaveLength(12);
});

test('recorded answers with a frame dropped, repeated, moved, broken, or an end too early: an answer or a typed error, never a success without its end', async () => {
  const kinds: Record<string, number> = {};
  for (const file of files.filter((name) => name.endsWith('.chunks.txt'))) {
    const frames = linesOf(file).map((line) => `data: ${line}\n\n`);
    const whole = await decode(createDecoder({ provider: 'anthropic', status: 200, headers: new Headers(), names: toolNames(undefined) }), [frames.join('')]);
    for (const { what, frames: mutant } of mutations(frames)) {
      const { response, error } = await decode(createDecoder({ provider: 'anthropic', status: 200, headers: new Headers(), names: toolNames(undefined) }), [mutant.join('')]);
      if (response === undefined) expect(error?.code).toMatch(/^model\//);
      else expect([mutant.some((frame) => frame.includes('"stop_reason":"')), response.finishReason]).toEqual([true, whole.response?.finishReason]);
      kinds[`${what} ${response === undefined ? 'error' : 'answer'}`] = (kinds[`${what} ${response === undefined ? 'error' : 'answer'}`] ?? 0) + 1;
      if (what === 'broken') expect(response).toBeUndefined();
    }
  }
  if (files.length > 0) for (const what of ['dropped', 'repeated', 'broken', 'swapped', 'ended']) expect(kinds[`${what} error`]).toBeGreaterThan(0);
});

function bodyOf(file: string): Buffer {
  if (!file.endsWith('.chunks.txt')) return readFileSync(file);
  return Buffer.from(linesOf(file).map((line) => `event: ${(JSON.parse(line) as { type: string }).type}
data: ${line}

`).join(''));
}

async function play(file: string, pieces: readonly Uint8Array[]): Promise<{ response: ChatResponse; error: unknown }> {
  const json = file.endsWith('.json');
  const server = await playServer(playBytes(pieces, { type: json ? 'application/json' : 'text/event-stream' }));
  const model = new AnthropicChatModel({ modelName: 'm', apiKey: 'k', baseUrl: server.baseUrl, stream: !json, maxRetries: 0 });
  const chunks: ChatResponseChunk[] = [];
  let error: unknown;
  try {
    for await (const chunk of model.stream({ messages: [new Msg({ content: 'hi' })] })) chunks.push(chunk);
  } catch (thrown) {
    error = thrown;
  }
  return { response: await collectResponse((async function* () { yield* chunks; })()), error };
}

function found({ response, error }: { response: ChatResponse; error: unknown }): object {
  const { content, metadata, finishReason, usage } = response;
  const said = {
    textParts: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
    reasoningParts: content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])),
  };
  if (error !== undefined) return { ...said, error: AgentScopeError.is(error, 'model/overloaded') ? { type: error.details.providerCode, message: error.message.slice(error.message.lastIndexOf(': ') + 2) } : error };
  const own = (metadata?.['anthropic'] ?? {}) as { serverBlocks?: readonly { type: string; id: string; name: string; input: unknown }[]; stopDetails?: unknown };
  const server = own.serverBlocks ?? [];
  return {
    ...said,
    id: response.id,
    model: metadata?.['model'],
    toolCalls: content.flatMap((block) => (block.type === 'tool_use' ? [{ id: block.id, name: block.name, args: block.input }] : [])),
    thinkingBlocks: content.flatMap((block) => (block.type === 'thinking' ? [{ chars: block.thinking.length, signature: hashOf((block.metadata as { anthropic: { signature: string } }).anthropic.signature) }] : [])),
    finish: { raw: metadata?.['providerFinishReason'], normalized: finishReason },
    usage: { input: usage?.inputTokens, output: usage?.outputTokens, cached: usage?.cachedTokens ?? null, cacheCreation: usage?.cacheCreationTokens ?? null, raw: metadata?.['usage'] },
    serverToolCalls: server.flatMap(({ type, id, name, input }) => (type === 'server_tool_use' ? [{ type, id, name, args: input }] : [])),
    otherBlocks: server.flatMap(({ type }) => (type === 'server_tool_use' ? [] : [type])),
    stopDetails: own.stopDetails,
  };
}

function wanted({ textParts, reasoningParts, error, id, model, toolCalls, thinkingBlocks, finish, usage, serverToolCalls, otherBlocks, stopDetails }: Truth): object {
  if (error !== null) return { textParts, reasoningParts, error: { type: error.type, message: error.message } };
  const { input, output, cached, cacheCreation, raw } = usage;
  return {
    textParts, reasoningParts, id, model, finish, serverToolCalls, otherBlocks, stopDetails,
    toolCalls: toolCalls.map((call) => ({ id: call.id, name: call.name, args: call.args })),
    thinkingBlocks: thinkingBlocks.map(({ chars, signature }) => ({ chars, signature })),
    usage: { input, output, cached, cacheCreation, raw },
  };
}

function hashOf(signature: string): object {
  return { length: signature.length, sha256: createHash('sha256').update(signature).digest('hex').slice(0, 16) };
}
