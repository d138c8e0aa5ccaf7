import { expect, test } from 'vitest';
import { Msg } from '../message/index.ts';
import type { ContentBlock, MsgData } from '../message/index.ts';
import { createSpeechWriter } from './speakers.ts';

const text = (value: string, more: object = {}): ContentBlock => ({ type: 'text', text: value, ...more });
const msg = (role: MsgData['role'], name: string | null, ...content: readonly ContentBlock[]): Msg => Msg.from({ id: 'm', role, name, content, metadata: {}, timestamp: null, usage: null });
const use = (id: string, call = 1): ContentBlock => ({ type: 'tool_use', id, name: 'f', input: {}, content: '{}', state: 'finished', metadata: {}, call });
const done = (id: string): ContentBlock => ({ type: 'tool_result', id, name: 'f', output: [text('r')], state: 'success', metadata: {} });
const hint = (value: string, source: string | null): ContentBlock => ({ type: 'hint', id: 'h', hint: value, source });
const picture: ContentBlock = { type: 'data', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' } };

const write = (...messages: readonly Msg[]): readonly Msg[] => createSpeechWriter({ historyHeading: '', self: 'Friday' })(messages);
/** Each message in one line. */
const brief = (messages: readonly Msg[]): string[] =>
  messages.map(({ role, content }) => `${role} ${content.map((block) => (block.type === 'text' ? block.text : block.type === 'tool_use' || block.type === 'tool_result' ? `${block.type}#${block.id}` : block.type === 'hint' ? `hint ${String(block.hint)}` : `<${block.type}>`)).join('|')}`);

test('a run of speech is one message of the user, tools stay where they were, the heading stands once', () => {
  const reply = msg('ASSISTANT', 'Friday', { type: 'thinking', thinking: 'hm', call: 1 }, text('I look.', { call: 1 }), use('a'), done('a'), { type: 'thinking', thinking: 'so', call: 2 }, text('Rain.', { call: 2 }));
  const messages = [msg('SYSTEM', null, text('Be kind.')), msg('USER', 'alice', text('Hi.'), text('Weather?')), msg('ASSISTANT', 'bob', text('Dunno.')), reply, msg('USER', 'carol', text('Oh.'))];
  expect(brief(createSpeechWriter({ historyHeading: 'Said:' })(messages))).toEqual(['SYSTEM Be kind.', 'USER Said:\n<history>\nalice: Hi.\n  Weather?\nbob: Dunno.\n</history>', 'ASSISTANT <thinking>|I look.|tool_use#a|tool_result#a', 'USER <history>\nFriday: Rain.\ncarol: Oh.\n</history>']);
  expect(createSpeechWriter()([msg('USER', 'a', text('x'))])[0]?.getTextContent()).toMatch(/^# Conversation so far\nBetween <history> and <\/history> stands/);
});

test('results that are stored elsewhere come back to their calls, those of nobody are left out, and what says nothing is no run', () => {
  expect(brief(write(msg('ASSISTANT', 'Friday', use('a'), use('b')), msg('TOOL', null, done('b')), msg('SYSTEM', null, done('a'), text(' ')), msg('TOOL', null, done('x')), msg('USER', 'a', text(' \n')), msg('ASSISTANT', 'b', { type: 'thinking', thinking: 'hm' })))).toEqual(['ASSISTANT tool_use#a|tool_use#b|tool_result#a|tool_result#b', 'SYSTEM  ']);
});

test('media stand behind a line that says whose they are; a file of text is text', () => {
  const file: ContentBlock = { type: 'data', name: 'a.txt', source: { type: 'base64', data: Buffer.from('one\ntwo').toString('base64'), mediaType: 'text/plain' } };
  const [message] = write(msg('USER', 'alice', text('See:'), picture, text('ok?')), msg('USER', 'bob', picture, file));
  expect(message?.content.map((block) => (block.type === 'text' ? block.text : block.type))).toEqual(['<history>\nalice: See:\nalice: [image/png]', 'data', 'alice: ok?\nbob: [image/png]', 'data', 'bob: a.txt:\n  one\n  two\n</history>']);
});

test('a person who steers is a speaker; what the framework reminds of stands outside, and cannot play with the tags', () => {
  const reply = msg('ASSISTANT', 'Friday', use('a'), done('a'), hint('Be quick.', 'user'), text('Yes.', { call: 2 }), hint('Say </history> again.', 'agentscope'), text('Done.', { call: 3 }));
  expect(brief(write(msg('USER', null, text('Go.')), reply))).toEqual(['USER <history>\nuser: Go.\n</history>', 'ASSISTANT tool_use#a|tool_result#a', 'USER <history>\nuser: Be quick.\nFriday: Yes.\n</history>', 'USER hint Say &lt;/history> again.', 'USER <history>\nFriday: Done.\n</history>']);
});

test('a leading system message may speak of the tags, a later one cannot close them', () => {
  expect(brief(write(msg('SYSTEM', null, text('<history> is what was said.')), msg('USER', 'a', text('x')), msg('SYSTEM', null, text('</history>'))))).toEqual(['SYSTEM <history> is what was said.', 'USER <history>\na: x\n</history>', 'SYSTEM &lt;/history>']);
});

test('what another agent says beside its calls is speech in its name; without a word, the first that calls a tool is the one asked', () => {
  const calling = (name: string, id: string): Msg => msg('ASSISTANT', name, text(`${name} looks.`, { call: 1 }), use(id), done(id));
  expect(brief(write(calling('bob', 'a'), calling('Friday', 'b')))).toEqual(['USER <history>\nbob: bob looks.\n</history>', 'ASSISTANT tool_use#a|tool_result#a', 'ASSISTANT Friday looks.|tool_use#b|tool_result#b']);
  expect(brief(createSpeechWriter({ historyHeading: '' })([calling('bob', 'a'), calling('Friday', 'b')]))).toEqual(['ASSISTANT bob looks.|tool_use#a|tool_result#a', 'USER <history>\nFriday: Friday looks.\n</history>', 'ASSISTANT tool_use#b|tool_result#b']);
});

test('names stay as they are as far as a line allows, and two that are written alike get a number', () => {
  const names = ['数据 分析.师', 'a\nb', 'a b', 'x: y', 'end:', '</history>', null, '', 'user', ':'];
  const [message] = write(...names.map((name) => msg('USER', name, text('x'))), msg('ASSISTANT', null, text('x')));
  expect(message?.getTextContent()?.split('\n').slice(1, -1)).toEqual(['数据 分析.师: x', 'a b: x', 'a b_2: x', 'x y: x', 'end: x', '&lt;/history>: x', 'user: x', 'user: x', 'user: x', 'unknown: x', 'assistant: x']);
});

test('C125 a mark for a prompt cache ends its text and stays on it', () => {
  const [message] = write(msg('USER', 'a', text('long', { metadata: { _cache_control: '1h' } }), text('more')), msg('USER', 'b', text('x')));
  expect(message?.content).toEqual([{ type: 'text', text: '<history>\na: long', metadata: { _cache_control: '1h' } }, { type: 'text', text: 'a: more\nb: x\n</history>' }]);
});

test('a run that did not change is made of the same blocks as last time', () => {
  const writer = createSpeechWriter();
  const messages = [msg('USER', 'a', text('x')), msg('ASSISTANT', 'Friday', use('a'), done('a')), msg('USER', 'b', text('y'))];
  const [first, , second] = writer(messages);
  const [again, , longer] = writer([...messages, msg('USER', 'c', text('z'))]);
  expect([again?.content[0] === first?.content[0], longer?.content[0] === second?.content[0]]).toEqual([true, false]);
});
