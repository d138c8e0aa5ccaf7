import { describe, test } from 'vitest';
import { serveScenario } from '../../../test/model-contract-server.ts';
import type { ScenarioWire } from '../../../test/model-contract-server.ts';
import { modelContract, validateAnthropicRequest } from '../../testing/index.ts';
import type { ScenarioAnswer } from '../../testing/index.ts';
import { AnthropicChatModel } from './model.ts';

const KEY = 'sk-ant-contract-0123456789';
const WORDS = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'refusal' } as const;
const event = (frame: { readonly type: string; readonly [member: string]: unknown }): string => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;

const wire: ScenarioWire = {
  frames(answer) {
    const shell = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage: { ...usage(answer), output_tokens: 1 } };
    const blocks = blocksOf(answer).flatMap(({ block, deltas }, index) => [
      event({ type: 'content_block_start', index, content_block: block }),
      ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
      event({ type: 'content_block_stop', index }),
    ]);
    return [event({ type: 'message_start', message: shell }), event({ type: 'ping' }), ...blocks, event({ type: 'message_delta', delta: { stop_reason: WORDS[answer.finish] }, usage: { output_tokens: answer.usage.outputTokens } }), event({ type: 'message_stop' })];
  },
  whole(answer) {
    const { thinking = [], text = [], calls = [] } = answer;
    const content = [
      ...(thinking.length > 0 ? [{ type: 'thinking', thinking: thinking.join(''), signature: 'c2ln' }] : []),
      ...(text.length > 0 ? [{ type: 'text', text: text.join('') }] : []),
      ...calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: JSON.parse(call.arguments.join('') || '{}') as unknown })),
    ];
    return JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason: WORDS[answer.finish], usage: usage(answer) });
  },
  refusal: (status) => JSON.stringify({ type: 'error', error: { type: status === 400 ? 'invalid_request_error' : status === 401 ? 'authentication_error' : status === 429 ? 'rate_limit_error' : 'api_error', message: `no ${KEY}` }, request_id: 'req_1' }),
  errorFrame: () => event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
};

function blocksOf({ thinking = [], text = [], calls = [] }: ScenarioAnswer): readonly { block: object; deltas: readonly object[] }[] {
  return [
    ...(thinking.length > 0 ? [{ block: { type: 'thinking', thinking: '', signature: '' }, deltas: [...thinking.map((piece) => ({ type: 'thinking_delta', thinking: piece })), { type: 'signature_delta', signature: 'c2ln' }] }] : []),
    ...(text.length > 0 ? [{ block: { type: 'text', text: '' }, deltas: text.map((piece) => ({ type: 'text_delta', text: piece })) }] : []),
    ...calls.map((call) => ({ block: { type: 'tool_use', id: call.id, name: call.name, input: {} }, deltas: call.arguments.map((piece) => ({ type: 'input_json_delta', partial_json: piece })) })),
  ];
}

function usage({ usage: { inputTokens, outputTokens, cachedTokens } }: ScenarioAnswer): Record<string, number> {
  return { input_tokens: inputTokens - (cachedTokens ?? 0), output_tokens: outputTokens, ...(cachedTokens === undefined ? {} : { cache_read_input_tokens: cachedTokens }) };
}

modelContract({ describe, test }, (scenario) => serveScenario(scenario, wire, (baseUrl, options) => new AnthropicChatModel({ modelName: 'm', apiKey: KEY, baseUrl, ...options })), { key: KEY, validate: validateAnthropicRequest });
