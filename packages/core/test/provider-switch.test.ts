// A conversation that changes its provider in the middle: every request is one its provider takes, with its own private data and nobody else's.
import { expect, test } from 'vitest';
import { ReActAgent } from '../src/agent/react-agent.ts';
import { collectResponse } from '../src/model/index.ts';
import type { ChatModel } from '../src/model/index.ts';
import { AnthropicChatModel } from '../src/provider/anthropic/index.ts';
import { DashScopeChatModel } from '../src/provider/dashscope/index.ts';
import { GeminiChatModel } from '../src/provider/gemini/index.ts';
import { OllamaChatModel } from '../src/provider/ollama/index.ts';
import { OpenAIChatModel, OpenAIResponsesModel } from '../src/provider/openai/index.ts';
import { InMemorySession } from '../src/session/index.ts';
import { validateAnthropicRequest, validateDashScopeCompatibleRequest, validateDashScopeRequest, validateGeminiRequest, validateOllamaRequest, validateOpenAIChatRequest, validateOpenAIResponsesRequest } from '../src/testing/index.ts';
import { defineTool } from '../src/tool/index.ts';
import { FAMILY } from './compatible-family.ts';
import { playServer, sse } from './play-server.ts';

interface Step {
  readonly thinking: string;
  readonly text: string;
  /** Ids of calls of the tool `look`. */
  readonly calls: readonly string[];
}

interface Provider {
  readonly name: string;
  /** What only this provider may see again; none where nothing goes back. */
  readonly secret?: string;
  validate(body: unknown): readonly string[];
  make(baseUrl: string): ChatModel;
  say(step: Step): string;
}

const typed = (...events: readonly { readonly type: string }[]): string => events.map((event) => `event: ${event.type}\n${sse(event)}`).join('');

const PROVIDERS: readonly Provider[] = [
  {
    name: 'openai',
    secret: 'secretOfOpenAI',
    validate: validateOpenAIChatRequest,
    make: (baseUrl) => new OpenAIChatModel({ modelName: 'm', apiKey: 'k', baseUrl }),
    say: (step) => chat(step, 'secretOfOpenAI'),
  },
  {
    name: 'openai-responses',
    secret: 'secretOfResponses',
    validate: validateOpenAIResponsesRequest,
    make: (baseUrl) => new OpenAIResponsesModel({ modelName: 'm', apiKey: 'k', baseUrl }),
    say: ({ thinking, text, calls }) => {
      const output = [
        { type: 'reasoning', id: `rs_${thinking}`, summary: [{ type: 'summary_text', text: thinking }], encrypted_content: 'secretOfResponses' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
        ...calls.map((id) => ({ type: 'function_call', id: `fc_${id}`, call_id: id, name: 'look', arguments: '{"at":"x"}' })),
      ];
      const events = output.map((item, at) => ({ type: 'response.output_item.done', output_index: at, item }));
      return typed(...events, { type: 'response.completed', response: { id: 'r', status: 'completed', output } } as { type: string });
    },
  },
  {
    name: 'anthropic',
    secret: 'secretOfAnthropic',
    validate: validateAnthropicRequest,
    make: (baseUrl) => new AnthropicChatModel({ modelName: 'claude-opus-4-5', apiKey: 'k', baseUrl, defaultOptions: { thinkingBudget: 2_048, maxTokens: 8_000 } }),
    say: ({ thinking, text, calls }) => {
      const blocks = [
        { start: { type: 'thinking', thinking: '', signature: '' }, deltas: [{ type: 'thinking_delta', thinking }, { type: 'signature_delta', signature: 'secretOfAnthropic' }] },
        { start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text }] },
        ...calls.map((id) => ({ start: { type: 'tool_use', id, name: 'look', input: {} }, deltas: [{ type: 'input_json_delta', partial_json: '{"at":"x"}' }] })),
      ];
      return typed(
        { type: 'message_start', message: { id: 'r', type: 'message', role: 'assistant', content: [], model: 'c', usage: { input_tokens: 1, output_tokens: 1 } } } as { type: string },
        ...blocks.flatMap(({ start, deltas }, index) => [{ type: 'content_block_start', index, content_block: start }, ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })), { type: 'content_block_stop', index }]),
        { type: 'message_delta', delta: { stop_reason: calls.length === 0 ? 'end_turn' : 'tool_use' }, usage: { output_tokens: 2 } } as { type: string },
        { type: 'message_stop' },
      );
    },
  },
  {
    name: 'gemini',
    secret: 'secretOfGemini',
    validate: (body) => validateGeminiRequest(body, { modelName: 'gemini-3-pro' }),
    make: (baseUrl) => new GeminiChatModel({ modelName: 'gemini-3-pro', apiKey: 'k', baseUrl }),
    say: ({ thinking, text, calls }) => {
      const parts = [{ text: thinking, thought: true }, { text }, ...calls.map((_id, at) => ({ functionCall: { name: 'look', args: { at: 'x' } }, ...(at === 0 ? { thoughtSignature: 'secretOfGemini' } : {}) }))];
      return sse({ responseId: 'r', candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] });
    },
  },
  {
    name: 'dashscope',
    secret: 'thought of dashscope',
    validate: validateDashScopeRequest,
    make: (baseUrl) => new DashScopeChatModel({ modelName: 'qwen-plus', apiKey: 'k', baseUrl, preserveThinking: true }),
    say: ({ thinking, text, calls }) => {
      const toolCalls = calls.map((id, index) => ({ index, id, type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } }));
      const messages = [{ reasoning_content: thinking, content: '' }, { content: text }, ...(calls.length === 0 ? [] : [{ content: '', tool_calls: toolCalls }])];
      return sse(...messages.map((message, at) => ({ output: { choices: [{ message, finish_reason: at < messages.length - 1 ? 'null' : calls.length === 0 ? 'stop' : 'tool_calls' }] }, request_id: 'r' })));
    },
  },
  {
    name: 'compatible-dashscope',
    validate: validateDashScopeCompatibleRequest,
    make: (baseUrl) => new DashScopeChatModel({ modelName: 'qwen-plus', apiKey: 'k', compatible: true, baseUrl }),
    say: (step) => chat(step, 'secretOfCompatibleDashScope'),
  },
  {
    name: 'ollama',
    validate: validateOllamaRequest,
    make: (baseUrl) => new OllamaChatModel({ modelName: 'qwen3:8b', baseUrl }),
    say: ({ thinking, text, calls }) => {
      const messages = [{ thinking }, { content: text }, { tool_calls: calls.map(() => ({ function: { name: 'look', arguments: { at: 'x' } } })) }];
      return [...messages.map((message) => ({ message, done: false })), { message: { content: '' }, done: true, done_reason: 'stop' }].map((line) => `${JSON.stringify(line)}\n`).join('');
    },
  },
  ...FAMILY.map(({ id, modelName, profile, make, validate }) => ({
    name: id,
    secret: profile.replay.thinking === 'never' ? `secretOf-${id}` : `thought of ${id},`,
    validate,
    make: (baseUrl: string) => make({ modelName, apiKey: 'k', baseUrl }),
    say: (step: Step) => chat(step, `secretOf-${id}`),
  })),
];

/** An answer of Chat Completions, a secret beside each call. */
function chat({ thinking, text, calls }: Step, secret: string): string {
  const toolCalls = calls.map((id, index) => ({ index, id, type: 'function', extra_content: { google: { thought_signature: secret } }, function: { name: 'look', arguments: '{"at":"x"}' } }));
  const deltas = [{ reasoning_content: thinking }, { content: text }, ...(calls.length === 0 ? [] : [{ tool_calls: toolCalls }])];
  return sse(...deltas.map((delta) => ({ id: 'r', choices: [{ delta }] })), { id: 'r', choices: [{ delta: {}, finish_reason: calls.length === 0 ? 'stop' : 'tool_calls' }] }, '[DONE]');
}

const pairs = PROVIDERS.flatMap((first) => PROVIDERS.filter((second) => second !== first).map((second) => ({ name: `${first.name} to ${second.name} and back`, first, second })));

test.for(pairs)('I5 switching in the middle: $name', async ({ first, second }) => {
  // four rounds of calls by turns and an answer, then two more turns
  const [a, b] = await Promise.all([serve(first), serve(second)]);
  const model = inTurn([a.model, b.model, a.model, b.model, b.model, a.model, b.model]);
  const look = defineTool({ name: 'look', description: 'Looks', readOnly: true, input: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] }, execute: () => 'seen' });
  const session = new InMemorySession();
  const agent = new ReActAgent({ name: 'Friday', sysPrompt: 'Be brief.', model, toolkit: [look], session });
  const options = { sessionId: 's' };
  const one = await agent.call('Look around.', options);
  expect(one.getToolCalls().map(({ result }) => result?.state)).toEqual(Array.from({ length: 8 }, () => 'success'));
  expect((await agent.call('And again?', options)).getTextContent()).toContain(`said by ${first.name}`);
  expect((await agent.call('And now?', options)).getTextContent()).toContain(`said by ${second.name}`);

  for (const [mine, other] of [[a, b], [b, a]] as const) {
    const bodies = mine.bodies();
    expect(bodies.length).toBeGreaterThanOrEqual(3);
    for (const body of bodies) {
      expect(mine.provider.validate(JSON.parse(body))).toEqual([]);
      if (other.provider.secret !== undefined) expect(body).not.toContain(other.provider.secret);
      expect(body).not.toContain(`thought of ${other.provider.name},`);
    }
    const { secret } = mine.provider;
    if (secret !== undefined) expect(bodies.map((body) => body.includes(secret))).toEqual(bodies.map((_body, at) => at > 0));
    expect(bodies.at(-1)).toContain(`said by ${other.provider.name}`);
  }
});

/** The first answers of a provider's server call two tools, the ones after them say something. */
async function serve(provider: Provider): Promise<{ provider: Provider; model: ChatModel; bodies(): readonly string[] }> {
  const server = await playServer((_request, response, number) => {
    const calls = number <= CALLS ? [`${provider.name}-${number}-a`, `${provider.name}-${number}-b`] : [];
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(provider.say({ thinking: `thought of ${provider.name}, ${number}`, text: `said by ${provider.name} ${number}`, calls }));
  });
  return { provider, model: provider.make(server.baseUrl), bodies: () => server.requests.map(({ body }) => body) };
}

const CALLS = 2;

/** One model after the other, one for each call. */
function inTurn(models: readonly ChatModel[]): ChatModel {
  let n = 0;
  const stream: ChatModel['stream'] = (request, options) => {
    const model = models[n++];
    if (model === undefined) throw new Error('more calls than models');
    return model.stream(request, options);
  };
  return { provider: 'several', modelName: 'in-turn', stream, call: (request, options) => collectResponse(stream(request, options)) };
}
