import { describe, test } from 'vitest';
import { serveScenario } from '../../../test/model-contract-server.ts';
import type { ScenarioWire } from '../../../test/model-contract-server.ts';
import { sse } from '../../../test/play-server.ts';
import { modelContract, validateGeminiRequest } from '../../testing/index.ts';
import type { ScenarioAnswer, ScenarioCall } from '../../testing/index.ts';
import { GeminiChatModel } from './model.ts';

const KEY = 'AIzaContract-0123456789';
const head = { modelVersion: 'gemini-3-pro', responseId: 'r-1' };
const WORDS = { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' } as const;
const STATES = new Map([[400, 'INVALID_ARGUMENT'], [401, 'UNAUTHENTICATED'], [429, 'RESOURCE_EXHAUSTED'], [500, 'INTERNAL'], [503, 'UNAVAILABLE']]);
const frame = (parts: readonly object[], more: object = {}): object => ({ ...head, candidates: [{ content: { role: 'model', parts }, index: 0, ...more }] });

const wire: ScenarioWire = {
  frames: (answer) => [...partsOf(answer).map((part) => sse({ ...frame([part]), usageMetadata: { promptTokenCount: 12 } })), sse({ ...frame([], { finishReason: WORDS[answer.finish] }), usageMetadata: usage(answer) })],
  whole: (answer) => JSON.stringify({ ...frame(joined(answer), { finishReason: WORDS[answer.finish] }), usageMetadata: usage(answer) }),
  refusal: (status) => JSON.stringify({ error: { code: status, message: `no ${KEY}`, status: STATES.get(status) } }),
  errorFrame: () => sse({ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }),
};

function partsOf({ thinking = [], text = [], calls = [] }: ScenarioAnswer): object[] {
  return [...thinking.map((piece) => ({ text: piece, thought: true })), ...text.map((piece) => ({ text: piece })), ...calls.map(callOf)];
}

function joined({ thinking = [], text = [], calls = [] }: ScenarioAnswer): object[] {
  const filled = (pieces: readonly string[]): readonly string[] => (pieces.length === 0 ? [] : [pieces.join('')]);
  return [...filled(thinking).map((piece) => ({ text: piece, thought: true })), ...filled(text).map((piece) => ({ text: piece })), ...calls.map(callOf)];
}

function callOf({ id, name, arguments: pieces }: ScenarioCall): object {
  return { functionCall: { id, name, ...(pieces.length === 0 ? {} : { args: JSON.parse(pieces.join('')) as object }) } };
}

/** The thoughts are counted beside the candidates. */
function usage({ usage: { inputTokens, outputTokens, cachedTokens } }: ScenarioAnswer): object {
  return { promptTokenCount: inputTokens, candidatesTokenCount: outputTokens - 2, thoughtsTokenCount: 2, totalTokenCount: inputTokens + outputTokens, ...(cachedTokens === undefined ? {} : { cachedContentTokenCount: cachedTokens }) };
}

modelContract({ describe, test }, (scenario) => serveScenario(scenario, wire, (baseUrl, options) => new GeminiChatModel({ modelName: 'gemini-3-pro', apiKey: KEY, baseUrl, ...options })), { key: KEY, validate: validateGeminiRequest, without: ['open'] });
