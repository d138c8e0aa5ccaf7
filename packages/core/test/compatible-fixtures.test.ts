// Recorded answers of the compatible family: over HTTP, through the model of the provider itself, and broken in every place.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { AgentScopeError } from '../src/error/index.ts';
import { toolNames } from '../src/formatter/index.ts';
import { Msg } from '../src/message/index.ts';
import { createCollector } from '../src/model/collect.ts';
import type { ChatModel, ChatResponse } from '../src/model/index.ts';
import { OpenAIChatModel } from '../src/provider/openai/index.ts';
import { PROFILES } from '../src/provider/openai/profile.ts';
import { createDecoder, rulesFor } from '../src/provider/shared/chat/index.ts';
import type { CompatibleProfile } from '../src/provider/shared/chat/index.ts';
import { FAMILY } from './compatible-family.ts';
import { decode, mutations } from './decode.ts';
import { cut, fixtureRoot, fixturesOf, linesOf, truthOf } from './fixture-files.ts';
import type { TruthResponse } from './fixture-files.ts';
import { playBytes, playServer } from './play-server.ts';

interface Subject {
  readonly id: string;
  readonly folders: readonly string[];
  readonly profile: CompatibleProfile;
  make(baseUrl: string, stream: boolean): ChatModel;
}

const OPTIONS = { apiKey: 'k', maxRetries: 0 };
const SUBJECTS: readonly Subject[] = [
  ...FAMILY.map(({ id, folders, profile, modelName, make }) => ({ id, folders, profile: rulesFor(profile, modelName), make: (baseUrl: string, stream: boolean) => make({ modelName, baseUrl, stream, ...OPTIONS }) })),
  ...(['groq', 'dashscope'] as const).map((name) => ({
    id: name,
    folders: [name === 'dashscope' ? 'alibaba' : name],
    profile: PROFILES[name],
    make: (baseUrl: string, stream: boolean) => new OpenAIChatModel({ modelName: 'm', profile: name, baseUrl, stream, ...OPTIONS }),
  })),
];
const isChat = (file: string): boolean => /^(?:chat-|error-json)/.test((JSON.parse(readFileSync(`${file}.truth.json`, 'utf8')) as { wire: string }).wire);
const filesOf = ({ folders }: Subject): readonly string[] => fixturesOf(folders).filter(isChat);

describe.for(SUBJECTS)('$id', (subject) => {
  for (const file of filesOf(subject)) {
    test(`S4-012 S4-049 decodes ${file.slice(fixtureRoot.length + 1)} to its truth, however its bytes were cut`, async () => {
      const [expected] = truthOf(file);
      if (expected === undefined) throw new Error('a truth without a response');
      for (const seed of [0, 1, 2, 3]) expect(await play(subject, file, { pieces: cut(bodyOf(file), seed), expected })).toEqual(wanted(expected));
    });
  }

  test('a frame dropped, repeated, moved, broken, or an end too early: an answer or a typed error, never a success without its end', async () => {
    for (const file of filesOf(subject).filter((name) => !name.endsWith('.json'))) {
      for (const { what, at, frames } of mutations(framesOf(file))) {
        const decoder = createDecoder({ provider: subject.id, status: 200, headers: new Headers(), names: toolNames(undefined), profile: subject.profile });
        const { response, error } = await decode(decoder, [...frames]);
        if (response === undefined) expect(error?.code).toMatch(/^model\//);
        else expect([frames.some((frame) => /"finish_reason":\s*"\w|^data: \[DONE\]/.test(frame)), response.finishReason !== undefined]).toEqual([true, true]);
        if (what === 'broken' && response !== undefined) expect(frames[at]).toMatch(/^data: \S{0,0}$/); // only the end mark, behind a finish reason
      }
    }
  });
});

test('every provider has answers to read', ({ skip }) => {
  if (fixturesOf(['xai']).length === 0) skip('no recorded answers at hand: set AGENTSCOPE_SHARED, or put shared/ beside the repository');
  expect(SUBJECTS.map((subject) => [subject.id, filesOf(subject).length])).toEqual([['deepseek', 2], ['glm', 2], ['kimi', 2], ['minimax', 2], ['xai', 3], ['groq', 2], ['dashscope', 2]]);
});

function bodyOf(file: string): Buffer {
  return file.endsWith('.chunks.txt') ? Buffer.from(framesOf(file).join('')) : readFileSync(file);
}

function framesOf(file: string): readonly string[] {
  if (file.endsWith('.sse')) return readFileSync(file, 'utf8').split(/(?<=\n\n)/);
  return [...linesOf(file), '[DONE]'].map((line) => `data: ${line}\n\n`);
}

async function play(subject: Subject, file: string, { pieces, expected }: { pieces: readonly Uint8Array[]; expected: TruthResponse }): Promise<unknown> {
  const json = file.endsWith('.json');
  const server = await playServer(playBytes(pieces, { status: expected.error === null ? 200 : 400, type: json ? 'application/json' : 'text/event-stream' }));
  const collector = createCollector();
  try {
    for await (const chunk of subject.make(server.baseUrl, !json).stream({ messages: [new Msg({ content: 'hi' })] })) collector.add(chunk);
  } catch (thrown) {
    if (!AgentScopeError.is(thrown)) throw thrown;
    return { error: (thrown.details as { providerCode?: string }).providerCode, says: thrown.message.includes(expected.error?.message ?? '?') };
  }
  return found(collector.response());
}

function found({ id, content, finishReason, usage, metadata }: ChatResponse): object {
  return {
    id,
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    toolCalls: content.flatMap((block) => (block.type === 'tool_use' ? [{ id: block.id, name: block.name, args: block.input }] : [])),
    finish: { raw: metadata?.['providerFinishReason'], normalized: finishReason },
    usage: usage === undefined ? null : { input: usage.inputTokens, output: usage.outputTokens, cached: usage.cachedTokens ?? null },
  };
}

function wanted({ id, text, reasoning, toolCalls, finish, usage, error }: TruthResponse): object {
  if (error !== null) return { error: error.code, says: true };
  return {
    id,
    text,
    reasoning,
    toolCalls: toolCalls.map((call) => ({ id: call.id, name: call.name, args: call.args })),
    finish,
    usage: usage === null ? null : { input: usage.input, output: usage.output, cached: usage.cached },
  };
}
