import { describe, test } from 'vitest';
import { serveScenario } from '../../../../test/model-contract-server.ts';
import type { ScenarioWire } from '../../../../test/model-contract-server.ts';
import { modelContract, validateOpenAIResponsesRequest } from '../../../testing/index.ts';
import type { ScenarioAnswer } from '../../../testing/index.ts';
import { OpenAIResponsesModel } from './model.ts';

const KEY = 'sk-contract-0123456789';
const head = { id: 'resp_1', object: 'response', model: 'm' };
const event = (type: string, fields: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const wire: ScenarioWire = {
  frames: (answer) => [
    event('response.created', { response: { ...head, status: 'in_progress', output: [] } }),
    ...items(answer).flatMap(({ item, deltas }, at) => [
      event('response.output_item.added', { output_index: at, item: opened(item) }),
      ...deltas.map(([type, delta]) => event(`response.${type}.delta`, { output_index: at, content_index: 0, summary_index: 0, delta })),
      event('response.output_item.done', { output_index: at, item }),
    ]),
    event(ENDINGS[answer.finish], { response: final(answer) }),
  ],
  whole: (answer) => JSON.stringify(final(answer)),
  refusal: (status) => JSON.stringify({ error: { message: `no ${KEY}`, type: status === 400 ? 'invalid_request_error' : 'error', code: null, param: null } }),
  errorFrame: () => event('error', { code: 'server_error', message: 'overloaded', param: null }),
};

const ENDINGS = { stop: 'response.completed', tool_calls: 'response.completed', length: 'response.incomplete', content_filter: 'response.incomplete' } as const;

interface Item {
  readonly item: Record<string, unknown>;
  readonly deltas: readonly (readonly [string, string])[];
}

function items({ thinking = [], text = [], calls = [] }: ScenarioAnswer): readonly Item[] {
  return [
    ...(thinking.length === 0 ? [] : [{ item: { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: thinking.join('') }], encrypted_content: 'enc' }, deltas: thinking.map((piece) => ['reasoning_summary_text', piece] as const) }]),
    ...(text.length === 0 ? [] : [{ item: { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: text.join(''), annotations: [] }] }, deltas: text.map((piece) => ['output_text', piece] as const) }]),
    ...calls.map(({ id, name, arguments: pieces }) => ({ item: { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: pieces.join('') }, deltas: pieces.map((piece) => ['function_call_arguments', piece] as const) })),
  ];
}

function opened(item: Record<string, unknown>): object {
  return { ...item, ...('content' in item ? { content: [] } : {}), ...('summary' in item ? { summary: [], encrypted_content: null } : {}), ...('arguments' in item ? { arguments: '' } : {}) };
}

function final(answer: ScenarioAnswer): object {
  const { finish, usage: { inputTokens, outputTokens, cachedTokens } } = answer;
  const why = finish === 'length' ? 'max_output_tokens' : finish === 'content_filter' ? 'content_filter' : undefined;
  return {
    ...head,
    status: why === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: why === undefined ? null : { reason: why },
    output: items(answer).map(({ item }) => item),
    usage: { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens, ...(cachedTokens === undefined ? {} : { input_tokens_details: { cached_tokens: cachedTokens } }) },
  };
}

modelContract({ describe, test }, (scenario) => serveScenario(scenario, wire, (baseUrl, options) => new OpenAIResponsesModel({ modelName: 'm', apiKey: KEY, baseUrl, ...options })), { key: KEY, validate: validateOpenAIResponsesRequest });
