import { expect, test } from 'vitest';
import { Msg } from '../message/index.ts';
import type { ContentBlock, MsgData, ToolResultBlock, ToolUseBlock } from '../message/index.ts';
import { createTurnCutter } from './turns.ts';
import type { TurnRules } from './turns.ts';
import type { Turn } from './turn.ts';

const call = (id: string, n?: number, extra: Partial<ToolUseBlock> = {}): ToolUseBlock => ({
  type: 'tool_use', id, name: 'f', input: {}, content: '{}', state: 'finished', metadata: {}, ...(n === undefined ? {} : { call: n }), ...extra,
});
const result = (id: string, text: string, extra: Partial<ToolResultBlock> = {}): ToolResultBlock => ({
  type: 'tool_result', id, name: 'f', output: text === '' ? [] : [{ type: 'text', text }], state: 'success', metadata: {}, ...extra,
});
const text = (value: string, n?: number): ContentBlock => ({ type: 'text', text: value, ...(n === undefined ? {} : { call: n }) });
const msg = (role: MsgData['role'], content: readonly ContentBlock[], name: string | null = null): Msg =>
  Msg.from({ id: 'm', role, name, content, metadata: {}, timestamp: null, usage: null });
const user = (value: string, name: string | null = null): Msg => msg('USER', [text(value)], name);

/** Turns in one line each. */
function brief(messages: readonly Msg[], rules: TurnRules = {}): string[] {
  return createTurnCutter(rules)(messages, undefined).map(line);
}

function line(turn: Turn): string {
  switch (turn.role) {
    case 'system':
      return `system ${turn.text}`;
    case 'user':
      return `user ${turn.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('|')}`;
    case 'assistant':
      return `assistant ${turn.content.map((block) => (block.type === 'call' ? `${block.name}#${block.id}${block.argumentsText}` : block.type === 'text' ? block.text : `<${block.type}>`)).join('|')}`;
    case 'tool':
      return `tool ${turn.results.map((one) => `${one.id}=${one.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('+')}`).join('|')}`;
  }
}

test('S4-045 one stored reply is cut again into the turns of its model calls', () => {
  const reply = msg('ASSISTANT', [text('let me see', 1), call('a', 1), call('b', 1), result('b', 'B'), result('a', 'A'), text('more', 2), call('c', 2), result('c', 'C'), text('done', 3)]);
  expect(brief([user('hi'), reply, user('thanks')])).toEqual(['user hi', 'assistant let me see|f#a{}|f#b{}', 'tool a=A|b=B', 'assistant more|f#c{}', 'tool c=C', 'assistant done', 'user thanks']);
});

test('the same turns come out of foreign shapes: no call numbers, results in messages of role TOOL or SYSTEM', () => {
  const expected = ['user hi', 'assistant x|f#a{}|f#b{}', 'tool a=A|b=B', 'assistant done', 'user go'];
  expect(brief([user('hi'), msg('ASSISTANT', [text('x'), call('a'), call('b'), result('a', 'A'), result('b', 'B'), text('done')]), user('go')])).toEqual(expected);
  for (const role of ['TOOL', 'SYSTEM'] as const) {
    expect(brief([user('hi'), msg('ASSISTANT', [text('x'), call('a'), call('b')]), msg(role, [result('b', 'B')]), msg(role, [result('a', 'A')]), msg('ASSISTANT', [text('done')]), user('go')])).toEqual(expected);
  }
});

test('C030 S4-046 a call without a result gets an interrupted one, before what was said later', () => {
  const out = brief([user('q'), msg('ASSISTANT', [text('t', 1), call('a', 1), call('b', 1), result('a', 'A')]), user('next')]);
  expect(out.slice(0, 3)).toEqual(['user q', 'assistant t|f#a{}|f#b{}', 'tool a=A|b=The call was interrupted before it gave a result. It may or may not have run.']);
  expect(out[3]).toBe('user next');
});

test('S4-046 results without a call, second results and blank text are left out; the stored messages stay', () => {
  const messages = [msg('TOOL', [result('zzz', 'orphan')]), user('  \n'), user('q'), msg('ASSISTANT', [text(''), call('a', 1), result('a', 'A'), result('a', 'again'), text(' ', 2)]), user('x')];
  const before = JSON.stringify(messages.map((one) => one.content));
  expect(brief(messages)).toEqual(['user q', 'assistant f#a{}', 'tool a=A', 'user x']);
  expect(JSON.stringify(messages.map((one) => one.content))).toBe(before);
});

test('C032 blank text reaches nobody; a result without text says so', () => {
  const picture: ContentBlock = { type: 'data', source: { type: 'url', url: 'https://x/y.png' } };
  expect(brief([msg('USER', [text(''), picture]), msg('ASSISTANT', [text('')]), msg('ASSISTANT', [{ type: 'thinking', thinking: '' }]), msg('ASSISTANT', [call('a'), result('a', ' ')]), user('x')])).toEqual(['user <data>', 'assistant f#a{}', 'tool a=(no output)', 'user x']);
});

test('C024 a repeated call id is made unique, and each result stays beside its own call', () => {
  expect(brief([user('q'), msg('ASSISTANT', [call('x', 1, { input: { n: 1 }, content: '{"n":1}' }), call('x', 1, { input: { n: 2 }, content: '{"n":2}' }), result('x', 'one'), result('x', 'two')]), user('y')])).toEqual(['user q', 'assistant f#x{"n":1}|f#x_2{"n":2}', 'tool x=one|x_2=two', 'user y']);
  expect(brief([msg('ASSISTANT', [call('f:0', 1), result('f:0', 'first')]), user('y'), msg('ASSISTANT', [call('f:0', 1), result('f:0', 'second')]), user('z')])).toEqual(['assistant f#f:0{}', 'tool f:0=first', 'user y', 'assistant f#f:0_2{}', 'tool f:0_2=second', 'user z']);
  expect(brief([msg('ASSISTANT', [call('f:0', 1)]), user('y'), msg('ASSISTANT', [call('f:0', 1), result('f:0', 'second')]), user('z')]).at(-2)).toBe('tool f:0_2=second');
});

test('C029 ids that are names of inherited members are ids like any other', () => {
  for (const id of ['__proto__', 'constructor', 'toString']) {
    expect(brief([msg('ASSISTANT', [call(id, 1), result(id, 'R')]), user('x')])).toEqual([`assistant f#${id}{}`, `tool ${id}=R`, 'user x']);
  }
});

test('C029 special keys in arguments stay own members and touch no prototype', () => {
  const content = '{"__proto__":{"admin":true},"constructor":{"x":1}}';
  const out = brief([msg('ASSISTANT', [call('a', 1, { content, input: JSON.parse(content) as never }), result('a', 'R')]), user('x')]);
  expect(out[0]).toBe(`assistant f#a${content}`);
  expect(({} as { admin?: unknown }).admin).toBeUndefined();
});

test('C046 C019 C018 arguments that were cut off or are no object are sent as an empty object', () => {
  for (const content of ['{"city": "Lis', '{"path": foo}', '', '  ', 'null', '12', '[1]']) {
    expect(brief([msg('ASSISTANT', [call('a', 1, { content }), result('a', 'R', { state: 'interrupted' })]), user('x')])[0]).toBe('assistant f#a{}');
  }
});

test('the model\'s own argument text is sent again while it says what the block says', () => {
  const own = call('a', 1, { content: '{ "b": 2, "a": 1 }', input: { a: 1, b: 2 } });
  expect(brief([msg('ASSISTANT', [own, result('a', 'R')]), user('x')])[0]).toBe('assistant f#a{ "b": 2, "a": 1 }');
  const edited = call('a', 1, { content: '{"amount":100}', input: { amount: 10 } });
  expect(brief([msg('ASSISTANT', [edited, result('a', 'R')]), user('x')])[0]).toBe('assistant f#a{"amount":10}');
});

test('C026 illegal, missing and unknown tool names obey the rule on the way out; known ones map both ways', () => {
  const cut = createTurnCutter({});
  const tools = [{ name: 'a.b', description: '', inputSchema: {} }, { name: 'a_b', description: '', inputSchema: {} }];
  const turns = cut([msg('ASSISTANT', ['bad name!{}', '', 'no_such_tool', 'a.b', 'a_b'].map((name, n) => call(`c${n}`, 1, { name }))), user('x')], tools);
  const names = turns[0]?.role === 'assistant' ? turns[0].calls.map((one) => one.name) : [];
  expect(names).toEqual(['bad_name___', 'tool', 'no_such_tool', 'a_b_2', 'a_b']);
});

test('hints are user content, behind the results, never between a call and its result', () => {
  const hint: ContentBlock = { type: 'hint', id: 'h', hint: 'be brief', source: 'user' };
  expect(brief([user('q'), msg('ASSISTANT', [call('a', 1), hint, result('a', 'A'), text('ok', 2)]), user('x')])).toEqual(['user q', 'assistant f#a{}', 'tool a=A', 'user be brief', 'assistant ok', 'user x']);
  expect(brief([msg('ASSISTANT', [call('a', 1), hint, call('b', 1), result('a', 'A'), result('b', 'B')]), user('x')])).toEqual(['assistant f#a{}|f#b{}', 'tool a=A|b=B', 'user be brief', 'user x']);
  expect(brief([msg('ASSISTANT', [call('a', 1), result('a', 'A'), { ...hint, hint: [{ type: 'text', text: 'one' }, { type: 'text', text: ' ' }] }])])).toEqual(['assistant f#a{}', 'tool a=A', 'user one']);
});

test('a user message that came while a call was open stands behind the results', () => {
  expect(brief([msg('ASSISTANT', [call('a', 1)]), user('hello?'), msg('TOOL', [result('a', 'A')])])).toEqual(['assistant f#a{}', 'tool a=A', 'user hello?']);
});

test('the conversation never ends with an assistant turn where that is refused', () => {
  expect(brief([user('q'), msg('ASSISTANT', [text('a')])])).toEqual(['user q', 'assistant a', 'user Please go on.']);
  expect(brief([user('q'), msg('ASSISTANT', [text('a')])], { goOn: null })).toEqual(['user q', 'assistant a']);
});

test('media in results move into one user turn behind all results of the turn, where results hold text only', () => {
  const png: ContentBlock = { type: 'data', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' } };
  const film: ContentBlock = { type: 'data', source: { type: 'url', url: 'https://x/y.mp4' } };
  const reply = msg('ASSISTANT', [call('a', 1), call('b', 1), result('a', '', { output: [text('seen'), png, film] }), result('b', 'B')]);
  expect(brief([reply])).toEqual(['assistant f#a{}|f#b{}', 'tool a=seen+<data>+<data>|b=B']);
  expect(brief([reply], { promoteMedia: (block) => block === png })).toEqual([
    'assistant f#a{}|f#b{}',
    'tool a=seen+[image/png, shown below as a#1]+[video/mp4 at https://x/y.mp4, not shown]|b=B',
    'user Media returned by the tools:|a#1 (f):|<data>',
  ]);
});

test('C129 half surrogates become U+FFFD, pairs stay', () => {
  const half = '\ud83d';
  const out = brief([user(`a${half}b🟢`), msg('ASSISTANT', [text(`x${half}`, 1), call('a', 1, { content: `{"t":"\\ud83d","u":"\\ud83d\\udfe2","v":"\\\\ud83d"}`, input: { t: half, u: '🟢', v: '\\ud83d' } }), result('a', `r${half}`)]), user('x')]);
  expect(out).toEqual(['user a\ufffdb🟢', 'assistant x\ufffd|f#a{"t":"\ufffd","u":"\\ud83d\\udfe2","v":"\\\\ud83d"}', 'tool a=r\ufffd', 'user x']);
  expect(out.every((one) => one.isWellFormed())).toBe(true);
});

test('C045 speakers get legal names that tell them apart', () => {
  const turns = createTurnCutter({})([user('1', '数据 分析.师'), user('2', '数据 分析.狮'), user('3', 'a b'), user('4', 'x'.repeat(80)), user('5', ''), user('6', 'a b')], undefined);
  const names = turns.map((turn) => (turn.role === 'user' ? turn.safeName : undefined));
  expect(names).toEqual(['_______', '________2'.slice(0, 9), 'a_b', 'x'.repeat(64), undefined, 'a_b']);
  expect(turns.map((turn) => (turn.role === 'user' ? turn.name : undefined))[0]).toBe('数据 分析.师');
});

test('turns that did not change are the same objects next time', () => {
  const cut = createTurnCutter({});
  const blocks = [text('t', 1), call('a', 1), result('a', 'A')];
  const first = cut([user('q'), msg('ASSISTANT', blocks)], undefined);
  const again = cut([user('q'), msg('ASSISTANT', [...blocks, text('done', 2)]), user('y')], undefined);
  expect(again[1]).toBe(first[1]);
  expect(again[2]).toBe(first[2]);
  expect(cut([msg('ASSISTANT', [call('a', 1), result('a', 'A')]), msg('ASSISTANT', blocks)], undefined)[3]).not.toBe(first[2]);
});

test('a conversation opens with the user, and the sides take turns, where a provider asks for it', () => {
  const rules: TurnRules = { opening: 'Hello.', alternate: true };
  const two = [msg('SYSTEM', [text('S')]), msg('ASSISTANT', [text('a')]), msg('ASSISTANT', [text('b')])];
  expect(brief(two, rules)).toEqual(['system S', 'user Hello.', 'assistant a', 'user Please go on.', 'assistant b', 'user Please go on.']);
  expect(brief([], rules)).toEqual(['user Hello.']);
  expect(brief([msg('SYSTEM', [text('S')])], rules)).toEqual(['system S', 'user Hello.']);
  expect(brief([user('q'), msg('ASSISTANT', [text('a')]), msg('SYSTEM', [text('S')])], rules)).toEqual(['user q', 'assistant a', 'system S', 'user Please go on.']);
  expect(brief([user('q'), msg('ASSISTANT', [text('t', 1), call('a', 1), result('a', 'A'), text('b', 2)]), user('x')], rules)).toEqual(['user q', 'assistant t|f#a{}', 'tool a=A', 'assistant b', 'user x']);
});

test('C035 thinking, and blank text with private data, are judged by the provider that is asked, for the model that is asked', () => {
  const thought: ContentBlock = { type: 'thinking', thinking: 'x', metadata: { p: { model: 'm1' } }, call: 1 };
  const signed: ContentBlock = { type: 'text', text: '', metadata: { p: { sig: 's' } }, call: 1 };
  const cut = createTurnCutter({ keepThinking: ({ metadata }, modelName) => (metadata?.['p'] as { model?: string } | undefined)?.model === modelName, keepBlank: ({ metadata }) => metadata?.['p'] !== undefined });
  const history = [user('q'), msg('ASSISTANT', [thought, signed, text('', 1), text('a', 1)]), user('x')];
  const kept = (modelName: string): unknown => cut(history, undefined, modelName).flatMap((turn) => (turn.role === 'assistant' ? turn.content : []));
  expect(kept('m1')).toEqual([thought, signed, text('a', 1)]);
  expect(kept('m2')).toEqual([signed, text('a', 1)]);
  expect(kept('m1')).toEqual([thought, signed, text('a', 1)]);
});

test('call ids are legal where a provider limits their characters, and stay apart', () => {
  expect(brief([user('q'), msg('ASSISTANT', [call('f:0', 1), call('f_0', 1), call('é', 1), result('f:0', 'A'), result('f_0', 'B'), result('é', 'C')])], { badIdCharacters: /[^a-zA-Z0-9_-]/g })).toEqual(['user q', 'assistant f#f_0{}|f#f_0_2{}|f#_{}', 'tool f_0=A|f_0_2=B|_=C']);
});

test('cache marks come with what they stand on', () => {
  const marked = { metadata: { _cache_control: { type: 'ephemeral', ttl: '1h' } } } as const;
  const turns = createTurnCutter({})([msg('SYSTEM', [{ type: 'text', text: 'S', ...marked }, text(' ')]), msg('USER', [{ type: 'text', text: 'q', ...marked }]), msg('ASSISTANT', [call('a', 1), { ...result('a', 'A'), metadata: { _cache_control: true } }])], undefined);
  expect(turns.map((turn) => (turn.role === 'system' ? turn.cacheControl : turn.role === 'user' ? turn.content[0] : turn.role === 'tool' ? turn.results[0]?.cacheControl : undefined))).toEqual(['1h', { type: 'text', text: 'q', ...marked }, undefined, '5m']);
});
