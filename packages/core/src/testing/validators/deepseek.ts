import { compatibleValidator } from './compatible.ts';
import type { RequestValidator } from './shared.ts';
import { isFields } from './shared.ts';

/** Judges a request as DeepSeek's thinking models do (PROVIDERS §8): text only, no forced choice, thinking passed back beside calls. */
export const validateDeepSeekRequest: RequestValidator = compatibleValidator({
  members: ['stream_options', 'temperature', 'top_p', 'frequency_penalty', 'presence_penalty', 'max_tokens', 'stop', 'response_format', 'tool_choice', 'thinking', 'reasoning_effort'],
  ranges: { temperature: [0, 2], top_p: [0, 1], frequency_penalty: [-2, 2], presence_penalty: [-2, 2] },
  stopWords: 16,
  choices: ['auto', 'none'],
  named: false,
  formats: ['text', 'json_object'],
  names: true,
  parts: [],
  addresses: false,
  thinking: 'reasoning_content',
  thinkingBesideCalls: true,
  nullContent: true,
  own(body, problems) {
    const { thinking, reasoning_effort: effort } = body;
    problems.check(effort === undefined || effort === 'high' || effort === 'max', 'reasoning_effort', 'high or max');
    problems.check(!isFields(thinking) || thinking['type'] !== 'adaptive', 'thinking.type', 'enabled or disabled');
  },
});
