import { createEvent } from '@agentscope/core';
import type { AgentEvent } from '@agentscope/core';
import { expect, test } from 'vitest';
import { chatView } from './chat-view.ts';

const text = (delta: string): AgentEvent[] => [createEvent('TEXT_BLOCK_START', { replyId: 'r', blockId: 't' }), createEvent('TEXT_BLOCK_DELTA', { replyId: 'r', blockId: 't', delta })];
const thinking = (delta: string): AgentEvent[] => [createEvent('THINKING_BLOCK_START', { replyId: 'r', blockId: 'k' }), createEvent('THINKING_BLOCK_DELTA', { replyId: 'r', blockId: 'k', delta })];
const call = { replyId: 'r', toolCallId: 'c', toolCallName: 'calculator' };

function shown(events: readonly AgentEvent[], options: { color?: boolean; width?: number } = {}): string {
  let printed = '';
  const view = chatView((piece) => (printed += piece), { color: false, width: 80, ...options });
  for (const event of events) view.event(event);
  view.end();
  return printed;
}

test('thinking is dim where there is colour, and left out where there is none', () => {
  expect(shown([...thinking('Hm.'), ...text('Yes.')], { color: true })).toBe('\u001b[2mHm.\u001b[22m\nYes.\n');
  expect(shown([...thinking('Hm.'), ...text('Yes.')])).toBe('Yes.\n');
});

test('a call and its result are one short line each, however long they are', () => {
  const events = [
    ...text('Let me see.'),
    createEvent('TOOL_CALL_DELTA', { ...call, delta: '{"expression":' }),
    createEvent('TOOL_CALL_DELTA', { ...call, delta: '"1 + 1"}' }),
    createEvent('TOOL_CALL_END', call),
    createEvent('TOOL_RESULT_TEXT_DELTA', { ...call, delta: `2\nand ${'more '.repeat(100)}` }),
    createEvent('TOOL_RESULT_END', { ...call, state: 'success' }),
  ];
  expect(shown(events, { width: 40 })).toBe('Let me see.\n→ calculator {"expression":"1 + 1"}\n← 2 and more more more more more more …\n');
});

test('a failed result, an interrupted reply and a limit are said', () => {
  const failed = [createEvent('TOOL_RESULT_TEXT_DELTA', { ...call, delta: 'no' }), createEvent('TOOL_RESULT_END', { ...call, state: 'error' })];
  expect(shown(failed)).toBe('✗ no\n');
  expect(shown([...text('Half'), createEvent('AGENT_END', { replyId: 'r', generateReason: 'INTERRUPTED' })])).toBe('Half\n(interrupted)\n');
  expect(shown([createEvent('AGENT_END', { replyId: 'r', generateReason: 'MAX_ITERATIONS' })])).toMatch(/limit of model calls/);
});

test('control characters do not reach the terminal, and what children say is left out', () => {
  expect(shown(text('a\u001b[2Jb\u009b31m\tc\r\n'))).toBe('a[2Jb31m\tc\n');
  expect(shown(text('from below').map((event) => ({ ...event, source: 'main/child' })))).toBe('');
});

test('media are named, what a person said into the reply stands as at the prompt, reminders of the framework do not', () => {
  const picture = createEvent('DATA_BLOCK_START', { replyId: 'r', blockId: 'd', mediaType: 'image/png' });
  const hint = (hintSource: string, words: string): AgentEvent => createEvent('HINT_BLOCK', { replyId: 'r', blockId: 'h', hintSource, hint: words });
  expect(shown([...text('Look:'), picture, hint('user', 'Nice\u001b[2J.\nMore!'), hint('reminder', 'Be brief.')])).toBe('Look:\n[image/png]\n> Nice[2J.\n  More!\n');
});
