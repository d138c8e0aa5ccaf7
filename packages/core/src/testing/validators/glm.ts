import { compatibleValidator } from './compatible.ts';
import type { RequestValidator } from './shared.ts';
import { isFields } from './shared.ts';

/** Judges a request as GLM's text models do (PROVIDERS §9): few members, narrow ranges, the choice of a tool always the model's. */
export const validateGLMRequest: RequestValidator = compatibleValidator({
  members: ['thinking', 'reasoning_effort', 'do_sample', 'temperature', 'top_p', 'max_tokens', 'tool_stream', 'tool_choice', 'stop', 'response_format', 'request_id', 'user_id'],
  ranges: { temperature: [0, 1], top_p: [0.01, 1] },
  stopWords: 4,
  choices: ['auto'],
  named: false,
  formats: ['text', 'json_object'],
  names: false,
  parts: [],
  addresses: false,
  thinking: 'reasoning_content',
  thinkingBesideCalls: false,
  nullContent: false,
  own(body, problems) {
    const { request_id: id, thinking } = body;
    problems.check(id === undefined || (typeof id === 'string' && id.length >= 6), 'request_id', 'at least 6 characters');
    problems.check(!isFields(thinking) || thinking['type'] !== 'adaptive', 'thinking.type', 'enabled or disabled');
  },
});
