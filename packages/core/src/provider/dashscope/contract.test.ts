import { describe, test } from 'vitest';
import { serveScenario } from '../../../test/model-contract-server.ts';
import type { ScenarioWire } from '../../../test/model-contract-server.ts';
import { modelContract, validateDashScopeRequest } from '../../testing/index.ts';
import type { ScenarioAnswer } from '../../testing/index.ts';
import { DashScopeChatModel } from './model.ts';
import type { DashScopeChatModelOptions } from './options.ts';

const KEY = 'sk-contract-0123456789';
const REQUEST_ID = 'd30a9914-0000';

/** One way in which DashScope answers: content as text or in parts, pieces that say what is new or everything so far. */
interface Way {
  readonly name: string;
  readonly options: Partial<DashScopeChatModelOptions>;
  readonly content: (text: string) => unknown;
  readonly isCumulative?: boolean;
}

const WAYS: readonly Way[] = [
  { name: 'text, by increments', options: {}, content: (text) => text },
  { name: 'text, everything so far', options: { incrementalOutput: false }, content: (text) => text, isCumulative: true },
  { name: 'multimodal, by increments', options: { modelName: 'qwen3-vl-plus' }, content: (text) => (text === '' ? [] : [{ text }]) },
  { name: 'multimodal, everything so far', options: { modelName: 'qwen3-vl-plus', incrementalOutput: false }, content: (text) => [{ text }], isCumulative: true },
];

interface Said {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly { readonly index: number; readonly id: string; readonly name?: string; readonly arguments: string }[];
}

const NOTHING: Said = { thinking: '', text: '', calls: [] };

/** What each piece adds. */
function pieces({ thinking = [], text = [], calls = [] }: ScenarioAnswer): readonly Said[] {
  return [
    ...thinking.map((piece): Said => ({ ...NOTHING, thinking: piece })),
    ...text.map((piece): Said => ({ ...NOTHING, text: piece })),
    ...calls.flatMap(({ id, name, arguments: parts }, index): Said[] => [
      { ...NOTHING, calls: [{ index, id, name, arguments: '' }] },
      ...parts.map((part): Said => ({ ...NOTHING, calls: [{ index, id: '', arguments: part }] })),
    ]),
  ];
}

function soFar(parts: readonly Said[]): readonly Said[] {
  return parts.map((_part, at) => total(parts.slice(0, at + 1)));
}

function total(parts: readonly Said[]): Said {
  const calls = [...new Set(parts.flatMap((part) => part.calls.map(({ index }) => index)))].map((index) => {
    const own = parts.flatMap((part) => part.calls.filter((call) => call.index === index));
    return { ...own[0], index, id: own[0]?.id ?? '', arguments: own.map((call) => call.arguments).join('') };
  });
  return { thinking: parts.map(({ thinking }) => thinking).join(''), text: parts.map(({ text }) => text).join(''), calls };
}

function wireOf({ content, isCumulative = false }: Way): ScenarioWire {
  const message = ({ thinking, text, calls }: Said): object => ({
    role: 'assistant',
    content: content(text),
    ...(thinking === '' ? {} : { reasoning_content: thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(({ index, id, name, arguments: args }) => ({ index, id, type: 'function', function: { ...(name === undefined ? {} : { name }), arguments: args } })) }),
  });
  const body = (said: Said, answer: ScenarioAnswer, word: string): string => JSON.stringify({ output: { choices: [{ message: message(said), finish_reason: word }] }, usage: usage(answer), request_id: REQUEST_ID });
  const frame = (data: string): string => `id:1\nevent:result\n:HTTP_STATUS/200\ndata:${data}\n\n`;
  return {
    frames(answer) {
      const parts = pieces(answer);
      const said = isCumulative ? soFar(parts) : parts;
      const last = (isCumulative ? said.at(-1) : undefined) ?? NOTHING;
      return [...said.map((piece) => frame(body(piece, answer, 'null'))), frame(body(last, answer, answer.finish))];
    },
    whole: (answer) => body(total(pieces(answer)), answer, answer.finish),
    refusal: (status) => JSON.stringify({ code: CODES[status] ?? 'InternalError', message: `no ${KEY}`, request_id: REQUEST_ID }),
    errorFrame: () => `id:9\nevent:error\n:HTTP_STATUS/500\ndata:${JSON.stringify({ code: 'InternalError', message: 'overloaded', request_id: REQUEST_ID })}\n\n`,
  };
}

const CODES: Readonly<Record<number, string>> = { 400: 'InvalidParameter', 401: 'InvalidApiKey', 429: 'Throttling.RateQuota', 503: 'ModelUnavailable' };

function usage({ usage: { inputTokens, outputTokens, cachedTokens } }: ScenarioAnswer): object {
  return { input_tokens: inputTokens, output_tokens: outputTokens, ...(cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } }) };
}

for (const way of WAYS) {
  describe(`S4-049 ${way.name}`, () => {
    modelContract({ describe, test }, (scenario) => serveScenario(scenario, wireOf(way), (baseUrl, options) => new DashScopeChatModel({ modelName: 'qwen-plus', apiKey: KEY, baseUrl, ...options, ...way.options })), {
      key: KEY,
      validate: validateDashScopeRequest,
      without: ['filtered'],
      pictures: way.options.modelName !== undefined,
    });
  });
}
