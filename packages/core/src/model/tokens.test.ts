import { expect, test } from 'vitest';
import { Msg } from '../message/index.ts';
import { defineChatModel } from './define.ts';
import type { ChatModel } from './model.ts';
import { withFallback } from './fallback.ts';
import { withRetry } from './retry.ts';
import { countTokens, estimateTokens } from './tokens.ts';

const messages = [
  new Msg({ role: 'system', content: 'abcd' }),
  new Msg({ content: ['晴天', '🟢', { type: 'data', source: { type: 'base64', data: 'A'.repeat(4000), mediaType: 'image/png' } }] }),
  Msg.from({
    id: 'm', role: 'ASSISTANT', name: null, metadata: {}, timestamp: null, usage: null,
    content: [
      { type: 'thinking', thinking: 'abcd' },
      { type: 'tool_use', id: 'a', name: 'f', input: {}, content: '{}x', state: 'finished', metadata: {} },
      { type: 'tool_result', id: 'a', name: 'f', output: [{ type: 'text', text: 'é' }, { type: 'audio', source: { type: 'url', url: 'https://x' } }], state: 'success', metadata: {} },
      { type: 'hint', id: 'h', hint: 'ab', source: null },
    ],
  }),
];

test('the estimate is UTF-8 bytes / 4, and 2000 for each of the media', () => {
  const bytes = 4 + 6 + 4 + 4 + 4 + 2 + 2;
  expect(estimateTokens({ messages })).toBe(Math.ceil(bytes / 4) + 4000);
  const tools = [{ name: 'f', description: 'd', inputSchema: { type: 'object' } }];
  expect(estimateTokens({ messages: [], tools })).toBe(Math.ceil((1 + 1 + '{"type":"object"}'.length) / 4));
  expect(estimateTokens({ messages: [] })).toBe(0);
});

test('a model with a counter of its own is asked, also behind retries and fallbacks; one without is estimated', async () => {
  const bare = defineChatModel({ provider: 'p', modelName: 'm', async *stream() {} });
  const counting: ChatModel = { ...bare, countTokens: ({ messages: list }) => Promise.resolve(list.length) };
  expect(await Promise.all([counting, withRetry(counting), withFallback([counting, bare])].map((model) => countTokens(model, { messages })))).toEqual([3, 3, 3]);
  expect(await countTokens(bare, { messages })).toBe(estimateTokens({ messages }));
});
