import type { AgentEvent } from '../event/index.ts';
import type { MsgData } from '../message/index.ts';
import type { JournalEntry } from '../session/index.ts';

const AT = '2026-02-03T04:05:06.007Z';

/** A message with the block types a user may say, usage with cache numbers and nested metadata. */
export function sampleMessage(id: string): MsgData {
  return {
    id,
    name: 'Ada',
    role: 'ASSISTANT',
    content: [
      { type: 'text', text: 'Grüße 🟢 \u2028 "quoted" \\ \n' },
      { type: 'thinking', thinking: '', metadata: { signature: 's==' } },
      { type: 'data', id: `${id}-d`, name: 'a.png', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' } },
      { type: 'tool_use', id: 'c1', name: 'f', input: { a: [1, null, { b: [] }], __proto__x: '' }, content: '{"a":[1,null,{"b":[]}]}', state: 'finished', metadata: {}, call: 1 },
      { type: 'tool_result', id: 'c1', name: 'f', output: [{ type: 'text', text: '' }, { type: 'data', id: 'x', source: { type: 'url', url: 'https://a.example/b.png', mediaType: 'image/png' } }], state: 'success', metadata: { rows: 2 } },
      { type: 'tool_result', id: 'c2', name: 'g', output: [], state: 'error', metadata: {} },
      { type: 'hint', id: 'h', hint: 'go on', source: 'user' },
    ],
    metadata: { nested: { empty: [], text: '', none: null, deep: [[1.5, -0.25]] } },
    timestamp: '2026-02-03 04:05:06.007',
    usage: { inputTokens: 10, outputTokens: 5, cachedTokens: 4, cacheCreationTokens: 1, time: 0.25 },
  };
}

/** Entries of most kinds, from number 1 on; the merged record covers 5 to 8. */
export function sampleEntries({ epoch = 1, owner = 'owner' }: { epoch?: number; owner?: string } = {}): readonly JournalEntry[] {
  const event = (seq: number, fields: object): AgentEvent => ({ id: `r:${epoch}:${seq}`, createdAt: AT, replyId: 'r', ...fields }) as AgentEvent;
  return [
    { seq: 1, at: AT, kind: 'epoch', epoch, owner, schema: 1 },
    { seq: 2, at: AT, kind: 'input', msg: sampleMessage('m1'), steer: true },
    { seq: 3, at: AT, kind: 'event', event: event(3, { type: 'AGENT_START', sessionId: 's', name: 'A', role: 'assistant', metadata: { inputIds: ['m1'] } }) },
    { seq: 4, at: AT, kind: 'event', event: event(4, { type: 'TEXT_BLOCK_START', blockId: 'b' }) },
    { seq: 5, at: AT, kind: 'delta', to: 8, event: event(5, { type: 'TEXT_BLOCK_DELTA', blockId: 'b', delta: 'ab🟢cd' }), cuts: [[5, 1], [6, 2], [7, 0], [8, 3]] },
    { seq: 9, at: AT, kind: 'event', event: event(9, { type: 'TEXT_BLOCK_END', blockId: 'b' }) },
    { seq: 10, at: AT, kind: 'event', event: event(10, { type: 'MODEL_CALL_END', usage: { inputTokens: 3, outputTokens: 2, cachedTokens: 1 }, metadata: { finishReason: 'stop' } }) },
    { seq: 11, at: AT, kind: 'state', name: 'tasks', value: { list: [], text: '', none: null } },
    { seq: 12, at: AT, kind: 'event', event: event(12, { type: 'AGENT_END', generateReason: 'PERMISSION_ASKING' }) },
  ];
}

/** What goes on from `sampleEntries`: a large output in an entry of its own, and numbers 15 to 18 of what a child said. */
export function moreEntries(): readonly JournalEntry[] {
  const event = { type: 'TOOL_RESULT_TEXT_DELTA', id: 'r:1:14', createdAt: AT, replyId: 'r', toolCallId: 'c1', toolCallName: 'f', delta: '' } as AgentEvent;
  return [
    { seq: 13, at: AT, kind: 'blob', data: 'large 🟢' },
    { seq: 14, at: AT, kind: 'event', event, blob: 13 },
    { seq: 15, at: AT, kind: 'child', to: 18, child: { userId: 'Ü', sessionId: 's/1' }, source: 's/helper', taskId: 't', epoch: 2, from: 7 },
  ];
}

/** A state entry: the smallest there is. */
export function noteEntry(seq: number, text: string): JournalEntry {
  return { seq, at: AT, kind: 'state', name: 'note', value: text };
}

/** Ids a file name, a path, a key or a column would not take as they are, and ids that fall together where case or form is ignored. */
export const STRANGE_IDS: readonly string[] = [
  '', '.', '..', '../../outside', '/abs/x', 'a/../../b', 'a\u0000b', 'C:\\x', 'CON', 'con', 'Con', 'nul.txt', 'dot.', 'blank ', ' blank', '__proto__', 'constructor', 'nobody',
  'é', 'e\u0301', '🟢', '\ud83d', '\udfe2', '%41', 'A', 'a', '*?"<>|', 'u-a', 's~a', 'x'.repeat(300), 'x'.repeat(10_240), `${'x'.repeat(10_240)}y`, 'null', '["a"]',
];
