import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cut, fixtureRoot, fixturesOf, linesOf, truthOf } from '../../../../test/fixture-files.ts';
import type { TruthResponse } from '../../../../test/fixture-files.ts';
import { playBytes, playServer } from '../../../../test/play-server.ts';
import { AgentScopeError } from '../../../error/index.ts';
import { isObject } from '../../../internal/index.ts';
import { Msg } from '../../../message/index.ts';
import type { ChatResponse } from '../../../model/index.ts';
import { OpenAIResponsesModel } from './model.ts';

const files = [...fixturesOf(['openai-responses']), ...fixturesOf(['xai'], (name) => name.includes('store-false'))];
const streams = files.filter((file) => file.endsWith('.chunks.txt'));
const nothing = 'no recorded answers at hand: set AGENTSCOPE_SHARED, or put shared/ beside the repository';

for (const file of streams) {
  for (const [n, lines] of answersIn(file).entries()) {
    const name = `${file.slice(fixtureRoot.length + 1)}, answer ${n + 1}`;
    const expected = truthOf(file)[n];
    if (expected === undefined) throw new Error(`a truth without response ${n}`);

    test(`S4-012 decodes ${name} to its truth, however its bytes were cut`, async () => {
      const body = Buffer.from(lines.map((line) => `event: ${(JSON.parse(line) as { type: string }).type}\ndata: ${line}\n\n`).join(''));
      for (const seed of [0, 1, 2, 3]) expect(await play(cut(body, seed))).toEqual(wanted(expected));
    });

    test(`S4-012 decodes the final object of ${name} to the same truth`, async () => {
      const final = (JSON.parse(lines.at(-1) ?? '') as { response: object }).response;
      const body = Buffer.from(JSON.stringify(final));
      for (const seed of [0, 1, 2]) expect(await play(cut(body, seed), { stream: false })).toEqual(wanted(expected, false));
    });
  }
}

test('the error that came as a body is the error that came as an event', async ({ skip }) => {
  const file = files.find((name) => name.endsWith('openai-error.1.json'));
  const expected = file === undefined ? undefined : truthOf(file)[0];
  if (file === undefined || expected === undefined) return skip(nothing);
  expect(await play([readFileSync(file)], { stream: false, status: 429 })).toEqual(wanted(expected));
});

test('S4-012 the whole answer with encrypted reasoning is read in full', async ({ skip }) => {
  const file = files.find((name) => name.endsWith('encrypted-content.1.json'));
  if (file === undefined) return skip(nothing);
  // The truth beside this file does not know its format; what it must be stands in the file.
  const body = JSON.parse(readFileSync(file, 'utf8')) as { id: string; model: string; usage: object; output: readonly [{ id: string; encrypted_content: string; summary: readonly { text: string }[] }, { content: readonly { text: string }[] }] };
  const [reasoning, message] = body.output;
  expect(await play([readFileSync(file)], { stream: false })).toEqual({
    id: body.id,
    model: body.model,
    textParts: message.content.map(({ text }) => text),
    reasoningParts: reasoning.summary.map(({ text }) => text),
    reasoningItems: [{ id: reasoning.id, encrypted: hash(reasoning.encrypted_content) }],
    toolCalls: [],
    finish: { raw: 'completed', normalized: 'stop' },
    usage: { input: 865, output: 163, cached: 0, raw: body.usage },
  });
});

test('every file was read', ({ skip }) => {
  if (files.length === 0) skip(nothing);
  expect(files).toHaveLength(7);
});

/** Several answers of one loop may stand in one file. */
function answersIn(file: string): readonly (readonly string[])[] {
  const answers: string[][] = [];
  for (const line of linesOf(file)) {
    if (line.includes('"type":"response.created"')) answers.push([]);
    answers.at(-1)?.push(line);
  }
  return answers;
}

async function play(pieces: readonly Uint8Array[], { stream = true, status = 200 } = {}): Promise<unknown> {
  const server = await playServer(playBytes(pieces, { status, type: stream ? 'text/event-stream' : 'application/json' }));
  const model = new OpenAIResponsesModel({ modelName: 'm', apiKey: 'k', baseUrl: server.baseUrl, stream, maxRetries: 0 });
  try {
    return found(await model.call({ messages: [new Msg({ content: 'hi' })] }));
  } catch (thrown) {
    if (!AgentScopeError.is(thrown)) throw thrown;
    return { code: thrown.code, providerCode: (thrown.details as { providerCode?: string }).providerCode, says: thrown.message };
  }
}

function found({ id, content, finishReason, usage, metadata }: ChatResponse): object {
  return {
    id,
    model: metadata?.['model'],
    textParts: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
    reasoningParts: content.flatMap((block) => (block.type === 'thinking' && block.thinking !== '' ? [block.thinking] : [])),
    reasoningItems: content.flatMap((block) => (block.type === 'thinking' ? [privateData(block.metadata)] : [])),
    toolCalls: content.flatMap((block) => (block.type === 'tool_use' ? [{ id: block.id, name: block.name, args: block.input }] : [])),
    finish: { raw: metadata?.['providerFinishReason'], normalized: finishReason },
    usage: usage === undefined ? null : { input: usage.inputTokens, output: usage.outputTokens, cached: usage.cachedTokens ?? null, raw: metadata?.['usage'] },
  };
}

function privateData(metadata: object | undefined): object {
  const own = isObject(metadata) && isObject(metadata['openai']) ? metadata['openai'] : {};
  const encrypted = own['encrypted_content'];
  return { id: own['id'], encrypted: typeof encrypted === 'string' ? hash(encrypted) : null };
}

function hash(text: string): { length: number; sha256: string } {
  return { length: text.length, sha256: createHash('sha256').update(text).digest('hex').slice(0, 16) };
}

function wanted({ id, model, textParts, reasoningParts, reasoningItems = [], toolCalls, finish, usage, error }: TruthResponse, sameBytes = true): object {
  const [sentence] = error?.message.split('. ') ?? [];
  if (error !== null) return { code: 'model/quota', providerCode: error.code, says: expect.stringContaining(sentence ?? '?') as unknown };
  return {
    id,
    model,
    textParts,
    reasoningParts,
    reasoningItems: reasoningItems.map((item) => ({ id: item.id, encrypted: item.encrypted === null || sameBytes ? item.encrypted : { ...item.encrypted, sha256: expect.any(String) as unknown } })), // encrypted anew in the final object
    toolCalls: toolCalls.map((call) => ({ id: call.id, name: call.name, args: call.args })),
    finish,
    usage: usage === null ? null : { input: usage.input, output: usage.output, cached: usage.cached, raw: usage.raw },
  };
}
