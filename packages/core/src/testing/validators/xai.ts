import { compatibleValidator, schemasOf, walkSchema } from './compatible.ts';
import type { RequestValidator } from './shared.ts';
import { isFields } from './shared.ts';

/** Judges a request as xAI's reasoning models do in Chat Completions (PROVIDERS §12): no penalties, no stop words, no thinking, png and jpeg only. */
export const validateXAIRequest: RequestValidator = compatibleValidator({
  members: ['stream_options', 'temperature', 'top_p', 'max_completion_tokens', 'seed', 'response_format', 'tool_choice', 'parallel_tool_calls', 'reasoning_effort'],
  ranges: { temperature: [0, 2], top_p: [0, 1] },
  stopWords: 0,
  choices: ['auto', 'none', 'required'],
  named: true,
  formats: ['text', 'json_object', 'json_schema'],
  names: true,
  parts: ['image_url'],
  addresses: true,
  thinking: undefined,
  thinkingBesideCalls: false,
  nullContent: true,
  own(body, problems) {
    schemasOf(body).forEach((schema, at) => walkSchema(schema, (node) => problems.check(node['additionalProperties'] !== false, `tools[${at}]`, 'additionalProperties: false is choked on')));
    const text = JSON.stringify(Array.isArray(body['messages']) ? body['messages'].map((message: unknown) => (isFields(message) ? message['content'] : '')) : '');
    for (const [, type] of text.matchAll(/"url":"data:image\/([\w.+-]+);/g)) problems.check(['png', 'jpeg', 'jpg'].includes(type ?? ''), 'messages', 'png and jpeg only');
  },
});
