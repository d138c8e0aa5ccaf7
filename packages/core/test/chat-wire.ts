// Answers of Chat Completions as the model contract wants them played.
import type { ScenarioAnswer } from '../src/testing/index.ts';
import type { ScenarioWire } from './model-contract-server.ts';
import { sse } from './play-server.ts';

const head = { id: 'chatcmpl-1', model: 'm' };

/** `key`: echoed in refusals, which no error may show. */
export function chatWire(key: string): ScenarioWire {
  return {
    frames: (answer) => [...deltas(answer).map((delta) => sse({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })), sse({ ...head, choices: [{ index: 0, delta: {}, finish_reason: answer.finish }] }), sse({ ...head, choices: [], usage: usage(answer) }), sse('[DONE]')],
    whole: (answer) => JSON.stringify({ ...head, choices: [{ index: 0, message: message(answer), finish_reason: answer.finish }], usage: usage(answer) }),
    refusal: (status) => JSON.stringify({ error: { message: `no ${key}`, type: status === 400 ? 'invalid_request_error' : 'error', code: null, param: null } }),
    errorFrame: () => sse({ error: { message: 'overloaded', type: 'server_error', code: null } }),
  };
}

function deltas({ thinking = [], text = [], calls = [] }: ScenarioAnswer): object[] {
  return [
    ...thinking.map((piece) => ({ reasoning_content: piece })),
    ...text.map((content) => ({ content })),
    ...calls.flatMap(({ id, name, arguments: pieces }, index) => [
      { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
      ...pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ];
}

function message({ thinking = [], text = [], calls = [] }: ScenarioAnswer): object {
  const toolCalls = calls.map((call) => ({ id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments.join('') } }));
  return { role: 'assistant', content: text.join('') || null, reasoning_content: thinking.join(''), ...(calls.length > 0 ? { tool_calls: toolCalls } : {}) };
}

function usage({ usage: { inputTokens, outputTokens, cachedTokens } }: ScenarioAnswer): object {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens, ...(cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } }) };
}
