// An agent on DashScope: the snippet of a newcomer, tools, thinking, structured output and a second turn, in both protocols over HTTP.
import { describe, expect, test, vi } from 'vitest';
import { ReActAgent } from '../src/agent/react-agent.ts';
import { DashScopeChatModel } from '../src/provider/dashscope/index.ts';
import type { DashScopeChatModelOptions } from '../src/provider/dashscope/index.ts';
import { validateDashScopeCompatibleRequest, validateDashScopeRequest } from '../src/testing/index.ts';
import { defineTool } from '../src/tool/index.ts';
import { playBytes, playServer, sse } from './play-server.ts';

const KEY = 'sk-Agent0123456789abcdef';
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const look = defineTool({ name: 'search', description: 'Looks', readOnly: true, input: { type: 'object', properties: { at: { type: 'string' } } }, execute: ({ at }) => `seen ${String(at)}` });

interface Message {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly object[];
}
const call = (id: string, name: string, args: object, index = 0): object => ({ index, id, type: 'function', function: { name, arguments: JSON.stringify(args) } });

interface Protocol {
  readonly compatible: boolean;
  readonly validate: (body: unknown) => readonly string[];
  say(message: Message): string;
  messagesOf(body: Record<string, any>): readonly { role: string; content: string; reasoning_content?: string }[];
  settingsOf(body: Record<string, any>): Record<string, any>;
  /** How many characters of a body stand behind its messages. */
  readonly tail: number;
}

const word = ({ tool_calls: calls }: Message): string => (calls === undefined ? 'stop' : 'tool_calls');
const PROTOCOLS: readonly Protocol[] = [
  {
    compatible: false,
    validate: validateDashScopeRequest,
    say: (message) => sse({ output: { choices: [{ message: { role: 'assistant', content: '', ...message }, finish_reason: word(message) }] }, usage: { input_tokens: 3, output_tokens: 2 }, request_id: 'r' }),
    messagesOf: ({ input }) => input.messages,
    settingsOf: ({ parameters }) => parameters,
    tail: 3,
  },
  {
    compatible: true,
    validate: validateDashScopeCompatibleRequest,
    say: (message) => sse({ id: 'r', choices: [{ delta: message }] }, { id: 'r', choices: [{ delta: {}, finish_reason: word(message) }] }, { id: 'r', choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }, '[DONE]'),
    messagesOf: ({ messages }) => messages,
    settingsOf: (body) => body,
    tail: 2,
  },
];

describe.for(PROTOCOLS)('compatible: $compatible', (protocol) => {
  const talk = async (answers: readonly Message[], tools: readonly (typeof look)[], options: Partial<DashScopeChatModelOptions> = {}) => {
    const server = await playServer((request, response, number) => playBytes([protocol.say(answers[number - 1] ?? { content: 'too much' })])(request, response, number));
    const model = new DashScopeChatModel({ modelName: 'qwen-plus', apiKey: KEY, baseUrl: new URL(server.baseUrl).origin, compatible: protocol.compatible, onWarning: () => undefined, ...options });
    const agent = new ReActAgent({ name: 'Friday', sysPrompt: 'You are a helpful assistant.', model, ...(tools.length === 0 ? {} : { toolkit: [...tools] }) });
    return { agent, requests: server.requests, bodies: () => server.requests.map(({ body }) => JSON.parse(body) as Record<string, any>) };
  };

  test('S4-031 an agent of name, prompt and model: system text, model and key are in the request, and no tools where there are none', async () => {
    const { agent, requests, bodies } = await talk([{ content: 'Hello.' }], []);
    expect((await agent.call('Hi')).getTextContent()).toBe('Hello.');
    const [body = {}] = bodies();
    expect([body['model'], requests[0]?.headers.authorization, protocol.validate(body)]).toEqual(['qwen-plus', `Bearer ${KEY}`, []]);
    expect(protocol.messagesOf(body)).toEqual([{ role: 'system', content: 'You are a helpful assistant.' }, { role: 'user', content: 'Hi' }]);
    expect(protocol.settingsOf(body)).not.toHaveProperty('tools');
  });

  test('S4-031 the key of the environment does as well', async () => {
    vi.stubEnv('DASHSCOPE_API_KEY', KEY);
    const { agent, requests } = await talk([{ content: 'Hello.' }], [], { apiKey: undefined });
    await agent.call('Hi');
    vi.unstubAllEnvs();
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test('S4-049 C026 I11 parallel calls of a tool whose name is taken, thinking, and a second turn: every request is one that is taken, and begins with the one before', async () => {
    const calls = [call('a', 'search_2', { at: 'a' }), call('b', 'search_2', { at: 'b' }, 1)];
    const { agent, requests, bodies } = await talk([{ reasoning_content: 'hm', tool_calls: calls }, { content: 'Two things.' }, { content: 'Bye.' }], [look], { preserveThinking: true });
    const reply = await agent.call('Look around.');
    expect(reply.getToolCalls().map(({ result }) => result?.output)).toMatchObject([[{ text: 'seen a' }], [{ text: 'seen b' }]]);
    expect((await agent.call('Thanks.')).getTextContent()).toBe('Bye.');
    for (const body of bodies()) expect(protocol.validate(body)).toEqual([]);
    const [first = '', second = '', third = ''] = requests.map(({ body }) => body);
    expect([second.startsWith(first.slice(0, -protocol.tail)), third.startsWith(second.slice(0, -protocol.tail))]).toEqual([true, true]);
    expect(protocol.messagesOf(bodies()[2] ?? {}).flatMap(({ reasoning_content: thought }) => thought ?? [])).toEqual(['hm']);
  });

  test('structured output by a schema where the model keeps to one, else by a tool that is named, or left to a model that thinks', async () => {
    const native = await talk([{ content: '{"city":"Rome"}' }], [], { modelName: 'qwen3.5-max' });
    expect((await native.agent.call('Where?', { schema: SCHEMA })).getStructuredData()).toEqual({ city: 'Rome' });
    expect(protocol.settingsOf(native.bodies()[0] ?? {})['response_format']).toMatchObject({ type: 'json_schema', json_schema: { schema: { required: ['city'] } } });
    const byTool = async (options: Partial<DashScopeChatModelOptions>, tools: readonly (typeof look)[] = []): Promise<unknown> => {
      const { agent, bodies } = await talk([{ tool_calls: [call('c', 'generate_response', { city: 'Rome' })] }], tools, options);
      expect((await agent.call('Where?', { schema: SCHEMA })).getStructuredData()).toEqual({ city: 'Rome' });
      const [body = {}] = bodies();
      expect(protocol.validate(body)).toEqual([]);
      const { tool_choice: choice, response_format: format } = protocol.settingsOf(body);
      return [choice?.function?.name ?? choice, format];
    };
    expect(await byTool({})).toEqual(['generate_response', undefined]);
    expect(await byTool({ enableThinking: true })).toEqual(['auto', undefined]);
    expect(await byTool({ modelName: 'qwen3.5-max' }, [look])).toEqual([undefined, undefined]);
  });
});
