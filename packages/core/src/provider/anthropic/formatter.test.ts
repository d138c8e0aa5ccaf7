import { expect, test } from 'vitest';
import { Msg } from '../../message/index.ts';
import type { ContentBlock, MsgData, ToolResultBlock, ToolUseBlock } from '../../message/index.ts';
import { validateAnthropicRequest } from '../../testing/validators/anthropic.ts';
import { AnthropicChatFormatter } from './formatter.ts';
import type { AnthropicWire } from './wire.ts';

const options = { tools: undefined, modelName: 'm' };
const use = (id: string, call?: number, more: Partial<ToolUseBlock> = {}): ToolUseBlock => ({ type: 'tool_use', id, name: 'get', input: {}, content: '{}', state: 'finished', metadata: {}, ...(call === undefined ? {} : { call }), ...more });
const done = (id: string, output: readonly ContentBlock[], more: Partial<ToolResultBlock> = {}): ToolResultBlock => ({ type: 'tool_result', id, name: 'get', output, state: 'success', metadata: {}, ...more });
const text = (value: string, call?: number): ContentBlock => ({ type: 'text', text: value, ...(call === undefined ? {} : { call }) });
const msg = (role: MsgData['role'], content: readonly ContentBlock[], name: string | null = null): Msg => Msg.from({ id: 'm', role, name, content, metadata: {}, timestamp: null, usage: null });
const user = (value: string): Msg => msg('USER', [text(value)]);
const thought = (thinking: string, own: object, call = 1): ContentBlock => ({ type: 'thinking', thinking, metadata: { anthropic: own } as never, call });

function format(...messages: Msg[]): AnthropicWire {
  const wire = new AnthropicChatFormatter().format(messages, options);
  expect(validateAnthropicRequest({ model: 'm', max_tokens: 1, ...(wire.system.length === 0 ? {} : { system: wire.system }), messages: wire.messages })).toEqual([]);
  return wire;
}

test('S4-044 S4-045 system prompt and three turns with tools become the roles and the order the API wants', () => {
  const reply = msg('ASSISTANT', [text('I look.', 1), use('c1', 1), done('c1', [text('rain')]), text('It rains.', 2)], 'Friday');
  expect(format(msg('SYSTEM', [text('Be brief.')]), user('one'), reply, user('two'), msg('ASSISTANT', [use('c2', 1, { content: '{"a":1}', input: { a: 1 } }), done('c2', [text('r2')]), text('answer 2', 2)]), user('three'))).toEqual({
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'one' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'I look.' }, { type: 'tool_use', id: 'c1', name: 'get', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'rain' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'It rains.' }] },
      { role: 'user', content: [{ type: 'text', text: 'two' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c2', name: 'get', input: { a: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c2', content: 'r2' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'answer 2' }] },
      { role: 'user', content: [{ type: 'text', text: 'three' }] },
    ],
  });
});

test('C033 parallel results are the beginning of one user turn, in call order, the rest of it behind', () => {
  const expected = [
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'get', input: {} }, { type: 'tool_use', id: 'b', name: 'get', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'A' }, { type: 'tool_result', tool_use_id: 'b', content: 'B' }, { type: 'text', text: 'next' }] },
  ];
  expect(format(user('q'), msg('ASSISTANT', [use('a'), use('b'), done('b', [text('B')]), done('a', [text('A')])]), user('next')).messages.slice(1)).toEqual(expected);
  expect(format(user('q'), msg('ASSISTANT', [use('a'), use('b')]), msg('TOOL', [done('b', [text('B')])]), msg('TOOL', [done('a', [text('A')])]), user('next')).messages.slice(1)).toEqual(expected);
});

test('C035 thinking goes back with its signature, byte for byte and in its place; redacted data too; saved and loaded in between', () => {
  const reply = msg('ASSISTANT', [thought('one', { signature: 'S1' }), thought('', { redacted: 'R1' }), thought('', { signature: 'S2' }), use('a', 1), done('a', [text('r')])]);
  const loaded = Msg.from(JSON.parse(JSON.stringify({ ...reply, content: reply.content })) as MsgData);
  expect(format(user('q'), loaded).messages[1]?.content).toEqual([
    { type: 'thinking', thinking: 'one', signature: 'S1' },
    { type: 'redacted_thinking', data: 'R1' },
    { type: 'thinking', thinking: '', signature: 'S2' },
    { type: 'tool_use', id: 'a', name: 'get', input: {} },
  ]);
});

test('thinking of others, without a signature, or that led to nothing stays here; it is never text', () => {
  const foreign: ContentBlock[] = [
    { type: 'thinking', thinking: 'mine', metadata: { gemini: { thoughtSignature: 'x' } }, call: 1 },
    { type: 'thinking', thinking: 'cut off', call: 1 },
    thought('damaged', { signature: 7 }),
    thought('damaged', { redacted: '' }),
  ];
  expect(format(user('q'), msg('ASSISTANT', [...foreign, text('said', 1), thought('in vain', { signature: 'S' })]), user('x')).messages[1]?.content).toEqual([{ type: 'text', text: 'said' }]);
  expect(format(user('q'), msg('ASSISTANT', [thought('only', { signature: 'S' })]), user('x')).messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'q' }, { type: 'text', text: 'x' }] }]);
});

test('C043 leading system text is the system prompt, later text a marked part of the user at its place', () => {
  const wire = format(msg('SYSTEM', [text('S1')]), msg('SYSTEM', [text('S2')]), user('q'), msg('ASSISTANT', [text('a')]), msg('SYSTEM', [text('S3')]), user('x'));
  expect(wire.system).toEqual([{ type: 'text', text: 'S1' }, { type: 'text', text: 'S2' }]);
  expect(wire.messages.at(-1)).toEqual({ role: 'user', content: [{ type: 'text', text: '<system>\nS3\n</system>' }, { type: 'text', text: 'x' }] });
  expect(format(user('q')).system).toEqual([]);
  const own = new AnthropicChatFormatter({ lateSystem: (said) => `Note: ${said}` }).format([user('q'), msg('SYSTEM', [text('S3')])], options);
  expect(own.messages[0]?.content.at(-1)).toEqual({ type: 'text', text: 'Note: S3' });
});

test('C041 S0-018 pictures stand where they were, in messages and in results; the old blocks say the same as the new one', () => {
  const source = { type: 'base64', data: 'AAAA', mediaType: 'image/png' } as const;
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
  expect(format(msg('USER', [text('look'), { type: 'data', source }])).messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'look' }, image] }]);
  expect(format(msg('USER', [text('look'), { type: 'image', source }]))).toEqual(format(msg('USER', [text('look'), { type: 'data', source }])));
  const reply = msg('ASSISTANT', [use('a'), use('b'), done('a', [text('seen'), { type: 'data', source }]), done('b', [text('B')], { state: 'error' })]);
  expect(format(user('q'), reply).messages.at(-1)?.content).toEqual([{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'seen' }, image] }, { type: 'tool_result', tool_use_id: 'b', content: 'B', is_error: true }]);
});

test('media as the API takes them, everything else as a note', () => {
  const data = (mediaType: string, base64 = 'AAAA', name?: string): ContentBlock => ({ type: 'data', source: { type: 'base64', data: base64, mediaType }, ...(name === undefined ? {} : { name }) });
  const url = (address: string): ContentBlock => ({ type: 'data', source: { type: 'url', url: address } });
  const parts = format(msg('USER', [data('image/jpg'), url('https://x/a.webp'), url('data:image/gif;base64,AA-_'), data('application/pdf', 'AAAA', 'a.pdf'), url('https://x/a.pdf'), data('text/csv', 'YSxi'), data('image/bmp'), data('audio/wav'), url('https://x/a.mp4'), url('file:///etc/passwd'), data('image/png', '')])).messages[0]?.content;
  expect(parts).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' } },
    { type: 'image', source: { type: 'url', url: 'https://x/a.webp' } },
    { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'AA+/' } },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }, title: 'a.pdf' },
    { type: 'document', source: { type: 'url', url: 'https://x/a.pdf' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a,b' } },
    ...['[image/bmp, not shown: this model cannot take it]', '[audio/wav, not shown: this model cannot take it]', '[video/mp4 at https://x/a.mp4, not shown]', '[file at file:///etc/passwd, not shown]', '[image/png, not shown: this model cannot take it]'].map((note) => ({ type: 'text', text: note })),
  ]);
});

test('C024 C026 C046 repeated and illegal ids, illegal names, cut-off arguments: the request is valid, results beside their calls', () => {
  const reply = msg('ASSISTANT', [use('f:0', 1), use('f:0', 1, { name: 'bad name!{}', content: '{"city": "Lis' }), done('f:0', [text('one')]), done('f:0', [text('two')])]);
  expect(format(user('q'), reply).messages.slice(1)).toEqual([
    { role: 'assistant', content: [{ type: 'tool_use', id: 'f_0', name: 'get', input: {} }, { type: 'tool_use', id: 'f_0_2', name: 'bad_name___', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'f_0', content: 'one' }, { type: 'tool_result', tool_use_id: 'f_0_2', content: 'two' }] },
  ]);
});

test('C030 C032 interrupted calls have a result that says so, blank text is nowhere, the sides take turns', () => {
  const wire = format(msg('ASSISTANT', [text('hello')]), msg('ASSISTANT', [text(' '), use('a', 1), use('b', 1), done('a', [text(' ')])]), user('  '), msg('ASSISTANT', [text('one')]), msg('ASSISTANT', [text('two')]));
  expect(wire.messages.map(({ role, content }) => [role, ...content.map((block) => block['text'] ?? block['content'] ?? block['id'])])).toEqual([
    ['user', 'Please go on.'],
    ['assistant', 'hello'],
    ['user', 'Please go on.'],
    ['assistant', 'a', 'b'],
    ['user', '(no output)', 'The call was interrupted before it gave a result. It may or may not have run.'],
    ['assistant', 'one'],
    ['user', 'Please go on.'],
    ['assistant', 'two'],
    ['user', 'Please go on.'],
  ]);
});

test('cache marks of blocks stand on what they were put on', () => {
  const mark = { metadata: { _cache_control: true } };
  const wire = format(msg('SYSTEM', [{ type: 'text', text: 'S', metadata: { _cache_control: { type: 'ephemeral', ttl: '1h' } } }]), msg('USER', [{ type: 'text', text: 'q', ...mark }]), msg('ASSISTANT', [use('a', 1, mark), done('a', [text('r')], mark)]));
  const short = { cache_control: { type: 'ephemeral' } };
  expect(wire).toEqual({
    system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'q', ...short }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'get', input: {}, ...short }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'r', ...short }] },
    ],
  });
});

test('messages whose turns did not change are the same frozen objects next time', () => {
  const formatter = new AnthropicChatFormatter();
  const history = [user('q'), msg('ASSISTANT', [use('a', 1), done('a', [text('r')])])];
  const first = formatter.format(history, options).messages;
  const again = formatter.format([...history, msg('ASSISTANT', [text('done')]), user('x')], options).messages;
  expect(again.slice(0, 3).map((message, at) => message === first[at] && Object.isFrozen(message))).toEqual([true, true, true]);
});

test('of more pictures than the API takes, the oldest become a note, in results too', () => {
  const picture: ContentBlock = { type: 'data', source: { type: 'url', url: 'https://x/y.png' } };
  const wire = format(msg('USER', [text('one'), picture]), msg('ASSISTANT', [use('a'), done('a', [picture, text('r')])]), msg('USER', Array.from({ length: 99 }, () => picture)));
  const note = { type: 'text', text: '[an earlier picture, not shown again: the request holds too many]' };
  expect(wire.messages[0]?.content).toEqual([{ type: 'text', text: 'one' }, note]);
  expect(wire.messages[2]?.content[0]?.['content']).toEqual([{ type: 'image', source: { type: 'url', url: 'https://x/y.png' } }, { type: 'text', text: 'r' }]);
  const more = format(msg('USER', [text('one'), picture]), msg('ASSISTANT', [use('a'), done('a', [picture, text('r')])]), msg('USER', Array.from({ length: 100 }, () => picture)));
  expect(more.messages[2]?.content[0]?.['content']).toEqual([note, { type: 'text', text: 'r' }]);
});
