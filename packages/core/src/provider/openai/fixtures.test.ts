import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decode, mutations } from '../../../test/decode.ts';
import { cut, fixtureRoot, fixturesOf, linesOf } from '../../../test/fixture-files.ts';
import { playBytes, playServer } from '../../../test/play-server.ts';
import { AgentScopeError } from '../../error/index.ts';
import { toolNames } from '../../formatter/index.ts';
import { Msg } from '../../message/index.ts';
import type { ChatResponse, ChatResponseChunk } from '../../model/index.ts';
import { createCollector } from '../../model/collect.ts';
import { OpenAIChatModel } from './model.ts';
import { createDecoder } from '../shared/chat/index.ts';

const folders = ['openai-chat', 'openai-compatible', 'groq', 'xai', 'moonshotai', 'deepseek', 'alibaba'];
const files = fixturesOf(folders);

interface Truth {
  readonly wire: string;
  readonly responses: readonly {
    readonly id: string | null;
    readonly text: string;
    readonly refusal: string | null;
    readonly reasoning: string;
    readonly toolCalls: readonly { id: string | null; name: string; args: unknown }[];
    readonly finish: { raw: string | null; normalized: string | null };
    readonly usage: { input: number; output: number; cached: number | null; cacheCreation: number | null; raw: unknown } | null;
    readonly error: { code: string | null; message: string } | null;
  }[];
}

const truthOf = (file: string): Truth => JSON.parse(readFileSync(`${file}.truth.json`, 'utf8')) as Truth;
const chats = files.filter((file) => /^(?:chat-|error-json)/.test(truthOf(file).wire));

for (const file of chats) {
  test(`decodes ${file.slice(fixtureRoot.length + 1)} to its truth, however its bytes were cut`, async () => {
    const [expected] = truthOf(file).responses;
    if (expected === undefined) throw new Error('a truth without a response');
    const body = bodyOf(file);
    for (const seed of [0, 1, 2, 3]) expect(await play(file, cut(body, seed), expected)).toEqual(wanted(expected));
  });
}

test('every chat file of the seven folders was read', ({ skip }) => {
  if (files.length === 0) skip('no recorded answers at hand: set AGENTSCOPE_SHARED, or put shared/ beside the repository');
  expect(chats).toHaveLength(16);
});

test('recorded answers with a frame dropped, repeated, moved, broken, or an end too early: an answer or a typed error, never a success without its end', async () => {
  const fresh = (): ReturnType<typeof createDecoder> => createDecoder({ provider: 'openai', status: 200, headers: new Headers(), names: toolNames(undefined) });
  const kinds: Record<string, number> = {};
  for (const file of chats.filter((name) => name.endsWith('.chunks.txt'))) {
    for (const { what, frames } of mutations(linesOf(file).map((line) => `data: ${line}\n\n`))) {
      const { response, error } = await decode(fresh(), [...frames]);
      if (response === undefined) expect(error?.code).toMatch(/^model\//);
      else expect([frames.some((frame) => /"finish_reason":"\w/.test(frame)), response.finishReason !== undefined]).toEqual([true, true]);
      if (what === 'broken') expect(response).toBeUndefined();
      kinds[`${what} ${response === undefined ? 'error' : 'answer'}`] = (kinds[`${what} ${response === undefined ? 'error' : 'answer'}`] ?? 0) + 1;
    }
  }
  if (chats.length > 0) for (const what of ['dropped', 'broken', 'ended']) expect(kinds[`${what} error`]).toBeGreaterThan(0);
});

type Expected = Truth['responses'][number];

function bodyOf(file: string): Buffer {
  if (!file.endsWith('.chunks.txt')) return readFileSync(file);
  return Buffer.from([...linesOf(file), '[DONE]'].map((line) => `data: ${line}

`).join(''));
}

async function play(file: string, pieces: readonly Uint8Array[], { error }: Expected): Promise<unknown> {
  const json = file.endsWith('.json');
  const server = await playServer(playBytes(pieces, { status: error === null ? 200 : 400, type: json ? 'application/json' : 'text/event-stream' }));
  const model = new OpenAIChatModel({ modelName: 'm', apiKey: 'k', baseUrl: server.baseUrl, stream: !json, maxRetries: 0 });
  const collector = createCollector();
  try {
    for await (const chunk of model.stream({ messages: [new Msg({ content: 'hi' })] })) collector.add(checked(chunk));
  } catch (thrown) {
    if (!AgentScopeError.is(thrown)) throw thrown;
    return { error: (thrown.details as { providerCode?: string }).providerCode, says: thrown.message.includes(error?.message ?? '?') };
  }
  return found(collector.response());
}

function checked(chunk: ChatResponseChunk): ChatResponseChunk {
  expect(chunk.content.length > 0 || chunk.finishReason !== undefined).toBe(true);
  return chunk;
}

function found({ id, content, finishReason, usage, metadata }: ChatResponse): object {
  const texts = content.filter((block) => block.type === 'text');
  return {
    id,
    text: texts.filter((block) => block.metadata?.['refusal'] !== true).map((block) => block.text).join(''),
    refusal: texts.filter((block) => block.metadata?.['refusal'] === true).map((block) => block.text).join(''),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    toolCalls: content.flatMap((block) => (block.type === 'tool_use' ? [{ id: block.id, name: block.name, args: block.input }] : [])),
    finish: { raw: metadata?.['providerFinishReason'], normalized: finishReason },
    usage: usage === undefined ? null : { input: usage.inputTokens, output: usage.outputTokens, cached: usage.cachedTokens ?? null, cacheCreation: usage.cacheCreationTokens ?? null, raw: metadata?.['usage'] },
  };
}

function wanted({ id, text, refusal, reasoning, toolCalls, finish, usage, error }: Expected): object {
  if (error !== null) return { error: error.code, says: true };
  return {
    id,
    text,
    refusal: refusal ?? '',
    reasoning,
    toolCalls: toolCalls.map((call) => ({ id: call.id, name: call.name, args: call.args })),
    finish,
    usage: usage === null ? null : { input: usage.input, output: usage.output, cached: usage.cached, cacheCreation: usage.cacheCreation, raw: usage.raw },
  };
}
