import { compatibleValidator } from './compatible.ts';
import { isFields } from './shared.ts';
import type { Fields, Problems, RequestValidator } from './shared.ts';

/** Judges a request as DashScope's compatible protocol does (PROVIDERS §2): its own settings beside those of Chat Completions, system text first, no forced choice and no format while thinking. */
export const validateDashScopeCompatibleRequest: RequestValidator = compatibleValidator({
  members: [
    'stream_options', 'temperature', 'top_p', 'top_k', 'max_tokens', 'seed', 'stop', 'presence_penalty', 'frequency_penalty', 'repetition_penalty', 'response_format', 'tool_choice', 'parallel_tool_calls',
    'enable_thinking', 'thinking_budget', 'reasoning_effort', 'preserve_thinking', 'enable_search', 'search_options',
  ],
  ranges: { temperature: [0, 1.9999], top_p: [0.0001, 1], presence_penalty: [-2, 2], frequency_penalty: [-2, 2] },
  stopWords: 16,
  choices: ['auto', 'none'],
  named: true,
  formats: ['text', 'json_object', 'json_schema'],
  names: false,
  parts: ['image_url', 'video_url', 'input_audio'],
  addresses: true,
  thinking: 'reasoning_content',
  thinkingBesideCalls: false,
  nullContent: false,
  own(body, problems) {
    const { enable_thinking: thinks, messages, tools } = body;
    for (const name of ['top_k', 'thinking_budget']) problems.check(body[name] === undefined || (Number.isInteger(body[name]) && Number(body[name]) > 0), name, 'a positive whole number');
    problems.check(thinks === undefined || typeof thinks === 'boolean', 'enable_thinking', 'true or false');
    problems.check(thinks !== true || body['stream'] === true, 'enable_thinking', 'only in a stream');
    problems.check(thinks !== true || !isFields(body['tool_choice']), 'tool_choice', 'auto or none while thinking');
    problems.check(thinks !== true || body['response_format'] === undefined, 'response_format', 'not while thinking');
    problems.check(body['thinking_budget'] === undefined || thinks === true, 'thinking_budget', 'only while thinking');
    listOf(messages).forEach((message, at) => problems.check(message['role'] !== 'system' || at === 0, `messages[${at}].role`, 'system text stands first, once'));
    listOf(tools).forEach((tool, at) => checkName(tool, `tools[${at}]`, problems));
    listOf(messages).forEach((message, at) => listOf(message['tool_calls']).forEach((call) => checkName(call, `messages[${at}].tool_calls`, problems)));
  },
});

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function checkName(holder: Fields, path: string, problems: Problems): void {
  problems.check(!isFields(holder['function']) || holder['function']['name'] !== 'search', path, 'not "search", which DashScope keeps for itself');
}
