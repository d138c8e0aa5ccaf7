import { expect, test } from 'vitest';
import { scriptedModel } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { provide } from './answers.ts';
import { ReActAgent } from './react-agent.ts';
import type { V1Event } from './v1-stream-event.ts';

async function collect(events: AsyncIterable<V1Event>): Promise<V1Event[]> {
  const list: V1Event[] = [];
  for await (const event of events) list.push(event);
  return list;
}

const add = defineTool({
  name: 'add',
  description: 'adds',
  input: { type: 'object', properties: { a: { type: 'number' } } },
  readOnly: true,
  async *execute() {
    yield 'th';
    yield 'ree';
  },
});
const fetchIt = defineTool({ name: 'fetch', description: 'elsewhere', input: { type: 'object' }, external: true });

const script = () =>
  scriptedModel(
    [{ thinking: ['h', 'm'] }, { text: ['Let me ', 'add.'] }, { tool: 'add', id: 'c1', input: { a: 1 } }, { usage: { inputTokens: 3, outputTokens: 2 } }],
    { text: ['It is ', 'three.'] },
  );
const friday = (model = script()): ReActAgent => new ReActAgent({ name: 'Friday', model, toolkit: [add, fetchIt], maxIters: 5 });
const shown = ({ type, message, isLast }: V1Event): string =>
  `${type}${isLast ? '!' : ''} ${message.content
    .map((block) => (block.type === 'text' ? block.text : block.type === 'thinking' ? `(${block.thinking})` : block.type === 'tool_use' ? `${block.name}${block.content ?? ''}` : block.type === 'tool_result' ? `=${block.output.map((part) => (part.type === 'text' ? part.text : part.type)).join('')}` : block.type))
    .join('|')}`;

test('pieces are what is new, and each step ends with the whole of it', async () => {
  const events = await collect(friday().stream('1 + 2?'));
  expect(events.map(shown)).toEqual([
    'REASONING (h)', 'REASONING (m)', 'REASONING Let me ', 'REASONING add.', 'REASONING add{"a":1}', 'REASONING! (hm)|Let me add.|add{"a":1}',
    'TOOL_RESULT =th', 'TOOL_RESULT =ree', 'TOOL_RESULT! =three',
    'REASONING It is ', 'REASONING three.', 'REASONING! It is three.',
    'AGENT_RESULT! (hm)|Let me add.|add{"a":1}|=three|It is three.',
  ]);
  expect(new Set(events.slice(0, 6).map(({ message }) => message.id)).size).toBe(1);
  const [first, result, second, end] = events.filter(({ isLast }) => isLast).map(({ message }) => message);
  expect([first?.generateReason, second?.generateReason, end?.generateReason]).toEqual(['TOOL_CALLS', 'MODEL_STOP', 'MODEL_STOP']);
  expect([first?.role, first?.name, result?.role, end?.role]).toEqual(['ASSISTANT', 'Friday', 'TOOL', 'ASSISTANT']);
  expect(first?.usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
});

test('accumulated, a piece holds everything its step has said so far', async () => {
  const events = await collect(friday().stream('1 + 2?', { incremental: false }));
  expect(events.slice(0, 9).map(shown)).toEqual([
    'REASONING (h)', 'REASONING (hm)', 'REASONING (hm)|Let me ', 'REASONING (hm)|Let me add.', 'REASONING (hm)|Let me add.|add{"a":1}', 'REASONING! (hm)|Let me add.|add{"a":1}',
    'TOOL_RESULT =th', 'TOOL_RESULT =three', 'TOOL_RESULT! =three',
  ]);
});

test('only what is asked for comes; the result is the one of the call', async () => {
  const agent = friday();
  const events = await collect(agent.session({ sessionId: 's' }).stream('1 + 2?', { eventTypes: ['AGENT_RESULT'] }));
  expect(events.map(({ type }) => type)).toEqual(['AGENT_RESULT']);
  const kept = (await agent.session({ sessionId: 's' }).messages()).at(-1);
  expect(JSON.stringify(events[0]?.message)).toBe(JSON.stringify(kept));
});

test('the last answer at the limit of model calls is a summary', async () => {
  const model = scriptedModel({ tool: 'add', input: { a: 1 } }, 'That is all.');
  const agent = new ReActAgent({ name: 'Friday', model, toolkit: [add], maxIters: 1 });
  const types = (await collect(agent.stream('go'))).filter(({ isLast }) => isLast).map(({ type }) => type);
  expect(types).toEqual(['REASONING', 'TOOL_RESULT', 'HINT', 'SUMMARY', 'AGENT_RESULT']);
});

test('data comes whole, and what was done elsewhere is a result', async () => {
  const model = scriptedModel([{ data: { mediaType: 'image/png', base64: 'AAAA' } }, { tool: 'fetch', id: 'x', input: {} }], 'Done.');
  const agent = friday(model);
  const waiting = 'TOOL_RESULT =Waiting for execution elsewhere.';
  const first = await collect(agent.stream('go'));
  expect(first.map(shown)).toEqual(['REASONING data', 'REASONING fetch{}', 'REASONING! data|fetch{}', waiting, `AGENT_RESULT! data|fetch{}|${waiting.slice(12)}`]);
  expect(first.at(-1)?.message.generateReason).toBe('TOOL_SUSPENDED');
  const [question] = await agent.session().pending('external');
  if (question === undefined) throw new Error('nothing is pending');
  const second = await collect(agent.stream(provide(question, 'found')));
  expect(second.map(shown).slice(0, 2)).toEqual(['TOOL_RESULT! =found', 'REASONING Done.']);
});

test('nothing runs before it is iterated; leaving early interrupts', async () => {
  const model = script();
  const agent = friday(model);
  agent.stream('never read');
  expect(model.requests).toHaveLength(0);
  for await (const { type } of agent.stream('go')) if (type === 'REASONING') break;
  const [, reply] = await agent.session().messages();
  expect(reply?.generateReason).toBe('INTERRUPTED');
});

test('a failed reply throws after its last step', async () => {
  const model = scriptedModel([{ text: ['so far'] }, { error: new Error('broken') }]);
  const seen: string[] = [];
  await expect(async () => {
    for await (const event of friday(model).stream('go', { eventTypes: ['REASONING'] })) seen.push(shown(event));
  }).rejects.toThrow('broken');
  expect(seen.at(-1)).toBe('REASONING! so far');
});
