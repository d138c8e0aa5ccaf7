import { describe, test } from 'vitest';
import { serveScenario } from '../../../test/model-contract-server.ts';
import type { ScenarioWire } from '../../../test/model-contract-server.ts';
import { modelContract, validateOllamaRequest } from '../../testing/index.ts';
import type { ScenarioAnswer, ScenarioCall } from '../../testing/index.ts';
import { OllamaChatModel } from './model.ts';

const KEY = 'ollama-Contract-0123456789';
const line = (message: object, more: object = { done: false }): string => `${JSON.stringify({ model: 'qwen3:8b', created_at: '2026-01-05T10:00:00Z', message: { role: 'assistant', content: '', ...message }, ...more })}\n`;
const word = ({ finish }: ScenarioAnswer): string => (finish === 'length' ? 'length' : 'stop');
const end = (answer: ScenarioAnswer): object => ({ done: true, done_reason: word(answer), total_duration: 5, prompt_eval_count: answer.usage.inputTokens, eval_count: answer.usage.outputTokens });
const call = ({ id, name, arguments: pieces }: ScenarioCall): object => ({ id, function: { name, ...(pieces.length === 0 ? {} : { arguments: JSON.parse(pieces.join('')) as object }) } });

const wire: ScenarioWire = {
  frames: (answer) => {
    const { thinking = [], text = [], calls = [] } = answer;
    return [...thinking.map((piece) => line({ thinking: piece })), ...text.map((content) => line({ content })), ...calls.map((one) => line({ tool_calls: [call(one)] })), line({}, end(answer))];
  },
  whole: (answer) => line({ content: (answer.text ?? []).join(''), ...(answer.thinking === undefined ? {} : { thinking: answer.thinking.join('') }), ...(answer.calls === undefined ? {} : { tool_calls: answer.calls.map(call) }) }, end(answer)),
  refusal: (status) => JSON.stringify({ error: `no ${status} ${KEY}` }),
  errorFrame: () => `${JSON.stringify({ error: 'the model runner stopped' })}\n`,
};

modelContract({ describe, test }, (scenario) => serveScenario(scenario, wire, (baseUrl, options) => new OllamaChatModel({ modelName: 'qwen3:8b', apiKey: KEY, baseUrl, ...options })), { key: KEY, validate: validateOllamaRequest, without: ['filtered', 'cached'] });
