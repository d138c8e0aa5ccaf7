import { Msg } from '../message/index.ts';
import type { ChatUsage } from '../message/index.ts';
import type { FinishReason, ModelRequest, ToolSchema } from '../model/index.ts';

export interface ScenarioCall {
  readonly id: string;
  /** As it stands in the request, so cleaned. */
  readonly name: string;
  /** Pieces of the arguments' JSON text; none for a call without arguments. */
  readonly arguments: readonly string[];
}

/** What the provider says, free of its wire: thinking first, then text, then calls. A list is one delta an item. */
export interface ScenarioAnswer {
  readonly thinking?: readonly string[];
  readonly text?: readonly string[];
  readonly calls?: readonly ScenarioCall[];
  readonly finish: Extract<FinishReason, 'stop' | 'length' | 'tool_calls' | 'content_filter'>;
  readonly usage: ChatUsage;
}

/**
 * How the server behaves. `plain`: frame by frame. `cut`: the bytes in pieces of one to seven. `slow`: a pause between frames. `stalled`:
 * the first half of the frames, then silence. `silent`: takes the request, never answers. `broken`: the first half, then the connection
 * is destroyed. `unfinished`: the first half, then a proper end. `failing`: the first half, then an error frame. `open`: the whole
 * answer, then the connection stays open. `refused`: `status` and an error body. `busy`: refused with 503 once, then plain.
 */
export type ScenarioPlay = 'plain' | 'cut' | 'slow' | 'stalled' | 'silent' | 'broken' | 'unfinished' | 'failing' | 'open' | 'refused' | 'busy';

export interface ModelScenario {
  readonly name: string;
  readonly request: ModelRequest;
  readonly answer: ScenarioAnswer;
  readonly play: ScenarioPlay;
  /** HTTP status of `refused`, with what the error is called at OpenAI; a provider's server says it in its own words. */
  readonly refusal?: { readonly status: 400 | 401 | 429 | 500; readonly headers?: Readonly<Record<string, string>> };
  /** Options the model must have. */
  readonly options: { readonly stream: boolean; readonly timeoutMs: number; readonly maxRetries: number };
}

export const CONTRACT_TOOLS: readonly ToolSchema[] = [
  { name: 'get_weather', description: 'The weather in a city', inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
  { name: 'now', description: 'The time', inputSchema: { type: 'object', properties: {} } },
  { name: 'ns.read:file', description: 'Reads', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
];

/** The picture of the scenario with media, as base64. */
export const CONTRACT_PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const usage: ChatUsage = { inputTokens: 12, outputTokens: 7 };
const question = new Msg({ content: 'What is the weather?' });

type AnswerName = 'text' | 'cached' | 'thinking' | 'tool' | 'parallel' | 'noArguments' | 'renamed' | 'length' | 'filtered';

const ANSWERS: Readonly<Record<AnswerName, ScenarioAnswer>> = {
  text: { text: ['Hello', ', 晴天', '🌍', ' ok'], finish: 'stop', usage },
  cached: { text: ['cached'], finish: 'stop', usage: { ...usage, cachedTokens: 5 } },
  thinking: { thinking: ['Let me ', 'think.'], text: ['42'], finish: 'stop', usage },
  tool: { text: ['I look.'], calls: [{ id: 'call_a', name: 'get_weather', arguments: ['{"ci', 'ty":"Lis', 'bon"}'] }], finish: 'tool_calls', usage },
  parallel: {
    calls: [
      { id: 'call_a', name: 'get_weather', arguments: ['{"city":', '"A"}'] },
      { id: 'call_b', name: 'get_weather', arguments: ['{"city":"B"}'] },
      { id: 'call_c', name: 'now', arguments: ['{}'] },
    ],
    finish: 'tool_calls',
    usage,
  },
  noArguments: { calls: [{ id: 'call_n', name: 'now', arguments: [] }], finish: 'tool_calls', usage },
  renamed: { calls: [{ id: 'call_r', name: 'ns_read_file', arguments: ['{"path":"x"}'] }], finish: 'tool_calls', usage },
  length: { text: ['cut o'], finish: 'length', usage },
  filtered: { text: ['no'], finish: 'content_filter', usage },
};

/** A scenario with the answer of this name. */
export function scenario(name: AnswerName, play: ScenarioPlay = 'plain', more: Partial<Omit<ModelScenario, 'options'>> & Partial<ModelScenario['options']> = {}): ModelScenario {
  const { stream = true, timeoutMs = 20_000, maxRetries = 0, ...rest } = more;
  const answer = ANSWERS[name];
  const tools = answer.calls !== undefined ? { tools: CONTRACT_TOOLS } : {};
  return { name, request: { messages: [question], ...tools }, answer, play, options: { stream, timeoutMs, maxRetries }, ...rest };
}

/** A request with everything at once: system, names, earlier calls and results, pictures from a user and from a tool. */
export function richRequest(): ModelRequest {
  const picture = { type: 'data', source: { type: 'base64', data: CONTRACT_PICTURE, mediaType: 'image/png' } } as const;
  const messages = [
    new Msg({ role: 'system', content: 'Be brief.' }),
    new Msg({ name: 'Alice B', content: ['Look', picture] }),
    Msg.from({
      id: 'm', role: 'ASSISTANT', name: 'Friday', metadata: {}, timestamp: null, usage: null,
      content: [
        { type: 'thinking', thinking: 'foreign', call: 1 },
        { type: 'tool_use', id: 'call_1', name: 'ns.read:file', input: { path: 'x' }, content: '{"path":"x"}', state: 'finished', metadata: {}, call: 1 },
        { type: 'tool_use', id: 'call_2', name: 'now', input: {}, content: '', state: 'finished', metadata: {}, call: 1 },
        { type: 'tool_result', id: 'call_2', name: 'now', output: [{ type: 'text', text: 'noon' }], state: 'success', metadata: {} },
        { type: 'tool_result', id: 'call_1', name: 'ns.read:file', output: [{ type: 'text', text: 'seen' }, picture], state: 'success', metadata: {} },
      ],
    }),
  ];
  return { messages, tools: CONTRACT_TOOLS, toolChoice: 'auto', options: { temperature: 0.5, maxTokens: 100 } };
}
