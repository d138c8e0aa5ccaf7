import { createEvent } from '@agentscope/core';
import type { AgentEvent } from '@agentscope/core';
import { expect, test } from 'vitest';
import { plainStyle } from '../style.ts';
import { Folds } from './folds.ts';
import { ReplyView } from './reply-view.ts';

const from = (source: string, events: readonly AgentEvent[]): AgentEvent[] => events.map((event) => ({ ...event, source }));
const text = (delta: string, blockId = 't'): AgentEvent[] => [
  createEvent('TEXT_BLOCK_START', { replyId: 'r', blockId }),
  createEvent('TEXT_BLOCK_DELTA', { replyId: 'r', blockId, delta }),
  createEvent('TEXT_BLOCK_END', { replyId: 'r', blockId }),
];
const call = (toolCallName: string, input: string, result: string): AgentEvent[] => {
  const named = { replyId: 'r', toolCallId: toolCallName, toolCallName };
  return [
    createEvent('TOOL_CALL_START', named),
    createEvent('TOOL_CALL_DELTA', { ...named, delta: input }),
    createEvent('TOOL_CALL_END', named),
    createEvent('TOOL_RESULT_START', named),
    createEvent('TOOL_RESULT_TEXT_DELTA', { ...named, delta: result }),
    createEvent('TOOL_RESULT_END', { ...named, state: 'success' }),
  ];
};

function viewOf({ width = 60 }: { width?: number } = {}): { view: ReplyView; folds: Folds; read: string[]; play: (events: readonly AgentEvent[]) => readonly string[] } {
  const folds = new Folds();
  const read: string[] = [];
  const view = new ReplyView({ style: plainStyle, folds, width: () => width, onChange: () => undefined, onRead: (said) => read.push(said) });
  const play = (events: readonly AgentEvent[]): readonly string[] => {
    for (const event of events) view.event(event);
    return view.take(10).done;
  };
  return { view, folds, read, play };
}

test('children stand indented under their name, theirs a step further, and the agent goes on where it was', () => {
  const { play } = viewOf();
  const lines = play([
    ...text('I ask the others.'),
    ...from('main/researcher', call('search', '{"q":"rivers"}', 'found')),
    ...from('main/researcher', text('Rivers are **long**.')),
    ...from('main/researcher/checker', text('They are.')),
    ...from('main/writer', text('Once upon a time there was a river that was long enough to need two lines.')),
    ...text('So it is.', 't2'),
  ]);
  expect(lines).toEqual([
    'I ask the others.',
    '│ researcher',
    '│ → search {"q":"rivers"}',
    '│ ← found',
    '│',
    '│ Rivers are long.',
    '│ │ checker',
    '│ │ They are.',
    '│ writer',
    '│ Once upon a time there was a river that was long enough to',
    '│ need two lines.',
    'So it is.',
  ]);
});

test('thinking is seen at its end while it goes on, and one line afterwards', () => {
  const { view, folds, play } = viewOf({ width: 40 });
  const long = `First ${'this and that '.repeat(20)}then the end.`;
  play([createEvent('THINKING_BLOCK_START', { replyId: 'r', blockId: 'k' }), createEvent('THINKING_BLOCK_DELTA', { replyId: 'r', blockId: 'k', delta: long })]);
  expect(view.activity).toBe('thinking');
  expect(view.take(10).open).toHaveLength(3);
  expect(view.take(10).open.at(-1)).toMatch(/the end\.$/);
  const [line = '', ...more] = play([createEvent('THINKING_BLOCK_END', { replyId: 'r', blockId: 'k' })]);
  expect([line, more]).toEqual([expect.stringMatching(/^∴ thought for \d+ s: First.*… \(\/show 1\)$/), []]);
  expect(line.length).toBeLessThanOrEqual(40);
  expect(folds.get(1)).toBe(long);
});

test('a steered message is told when it is read, and stands where it was read', () => {
  const { read, play } = viewOf();
  expect(play([...text('One.'), createEvent('HINT_BLOCK', { replyId: 'r', blockId: 'h', hintSource: 'user', hint: 'Be\u001b[2J brief.' }), ...text('Two.', 't2')])).toEqual(['One.', '', '> Be[2J brief.', '', 'Two.']);
  expect(read).toEqual(['Be\u001b[2J brief.']);
});

test('a reply that breaks off shows what there is', () => {
  const { view, play } = viewOf();
  play([createEvent('TEXT_BLOCK_START', { replyId: 'r', blockId: 't' }), createEvent('TEXT_BLOCK_DELTA', { replyId: 'r', blockId: 't', delta: 'Half a sen' })]);
  view.end();
  expect(view.take(10)).toEqual({ done: ['Half a sen'], open: [] });
  expect(play([createEvent('AGENT_END', { replyId: 'r', generateReason: 'MAX_ITERATIONS' })])).toEqual(['', '(stopped at the limit of model calls)']);
});
