import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cut, fixtureRoot, fixturesOf, linesOf, truthOf } from '../../../test/fixture-files.ts';
import type { TruthResponse } from '../../../test/fixture-files.ts';
import { playBytes, playServer } from '../../../test/play-server.ts';
import { AgentScopeError } from '../../error/index.ts';
import { isObject } from '../../internal/index.ts';
import { Msg } from '../../message/index.ts';
import type { ChatResponse } from '../../model/index.ts';
import { GeminiChatModel } from './model.ts';

const files = fixturesOf(['google']);

for (const file of files) {
  test(`S4-012 decodes ${file.slice(fixtureRoot.length + 1)} to its truth, however its bytes were cut`, async () => {
    const [expected] = truthOf(file);
    if (expected === undefined) throw new Error('a truth without a response');
    const body = bodyOf(file);
    for (const seed of [0, 1, 2, 3]) expect(await play(file, cut(body, seed), expected)).toEqual(wanted(expected));
  });
}

test('a stream that comes as one list, and one answer that comes whole, say what the stream says', async ({ skip }) => {
  if (files.length === 0) skip('no recorded answers at hand: set AGENTSCOPE_SHARED, or put shared/ beside the repository');
  for (const file of files.filter((name) => name.endsWith('.chunks.txt'))) {
    const [expected] = truthOf(file);
    if (expected === undefined) throw new Error('a truth without a response');
    const list = Buffer.from(`[${linesOf(file).join(',\n')}]`);
    for (const seed of [0, 1, 2]) expect(await play(`${file}.json`, cut(list, seed), expected)).toEqual(wanted(expected));
  }
});

test('every file of the folder was read', ({ skip }) => {
  if (files.length === 0) skip('no recorded answers at hand: set AGENTSCOPE_SHARED, or put shared/ beside the repository');
  expect(files).toHaveLength(6);
});

function bodyOf(file: string): Buffer {
  return file.endsWith('.chunks.txt') ? Buffer.from(linesOf(file).map((line) => `data: ${line}\r\n\r\n`).join('')) : readFileSync(file);
}

async function play(file: string, pieces: readonly Uint8Array[], { error }: TruthResponse): Promise<unknown> {
  const json = file.endsWith('.json');
  const server = await playServer(playBytes(pieces, { status: error === null ? 200 : Number(error.code), type: json ? 'application/json' : 'text/event-stream' }));
  const model = new GeminiChatModel({ modelName: 'gemini-3-pro-preview', apiKey: 'k', baseUrl: server.baseUrl, stream: !json, maxRetries: 0 });
  try {
    return found(await model.call({ messages: [new Msg({ content: 'hi' })] }));
  } catch (thrown) {
    if (!AgentScopeError.is(thrown)) throw thrown;
    const { status, providerCode, retryAfterMs } = thrown.details as { status?: number; providerCode?: string; retryAfterMs?: number };
    return { code: status, type: providerCode, retryDelayMs: retryAfterMs, says: thrown.message.includes(error?.message ?? '?') };
  }
}

function found({ id, content, finishReason, usage, metadata }: ChatResponse): object {
  return {
    id,
    model: metadata?.['model'],
    textParts: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
    textSignature: content.map((block) => (block.type === 'text' ? signatureOf(block.metadata) : null)).find((one) => one !== null) ?? null,
    reasoningParts: content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])),
    toolCalls: content.flatMap((block) => (block.type === 'tool_use' ? [{ id: block.id === '' ? '' : null, name: block.name, args: block.input, signature: signatureOf(block.metadata) }] : [])),
    finish: { raw: metadata?.['providerFinishReason'], normalized: finishReason },
    usage: usage === undefined ? null : { input: usage.inputTokens, output: usage.outputTokens, cached: usage.cachedTokens ?? null, raw: metadata?.['usage'] },
  };
}

function signatureOf(metadata: object | undefined): { length: number; sha256: string } | null {
  const own = isObject(metadata) && isObject(metadata['gemini']) ? metadata['gemini'] : {};
  const value = own['thoughtSignature'];
  return typeof value === 'string' ? { length: value.length, sha256: createHash('sha256').update(value).digest('hex').slice(0, 16) } : null;
}

function wanted({ id, model, textParts, reasoningParts, toolCalls, finish, usage, error, textSignature }: TruthResponse): object {
  if (error !== null) return { code: error.code, type: error.type, retryDelayMs: error.retryDelayMs, says: true };
  return {
    id,
    model,
    textParts,
    textSignature: textSignature ?? null,
    reasoningParts,
    toolCalls: toolCalls.map((call) => ({ id: call.id, name: call.name, args: call.args, signature: call.signature ?? null })),
    finish,
    usage: usage === null ? null : { input: usage.input, output: usage.output ?? 0, cached: usage.cached, raw: usage.raw },
  };
}
