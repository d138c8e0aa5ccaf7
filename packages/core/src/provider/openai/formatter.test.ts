import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Msg } from '../../message/index.ts';
import type { ContentBlock, MsgData, ToolUseBlock } from '../../message/index.ts';
import { OpenAIChatFormatter } from './formatter.ts';
import type { OpenAIWireMessage } from './formatter.ts';
import { PROFILES } from './profile.ts';
import { requestText } from '../shared/chat/index.ts';

const options = { tools: undefined, modelName: 'm' };
const msg = (role: MsgData['role'], content: readonly ContentBlock[], name: string | null = null): Msg =>
  Msg.from({ id: 'm', role, name, content, metadata: {}, timestamp: null, usage: null });
const text = (value: string, call?: number): ContentBlock => ({ type: 'text', text: value, ...(call === undefined ? {} : { call }) });
const use = (id: string, call?: number, extra: Partial<ToolUseBlock> = {}): ToolUseBlock => ({ type: 'tool_use', id, name: 'get', input: { a: 1 }, content: '{"a":1}', state: 'finished', metadata: {}, ...(call === undefined ? {} : { call }), ...extra });
const done = (id: string, output: readonly ContentBlock[], extra: object = {}): ContentBlock => ({ type: 'tool_result', id, name: 'get', output, state: 'success', metadata: {}, ...extra });
const format = (...messages: Msg[]): OpenAIWireMessage[] => new OpenAIChatFormatter().format(messages, options);

test('S4-044 S4-045 system prompt and three turns with tools become the roles and the order the API wants', () => {
  const reply = (n: number): Msg => msg('ASSISTANT', [{ type: 'thinking', thinking: 'hm', call: 1 }, use(`c${n}`, 1), done(`c${n}`, [text(`r${n}`)]), text(`answer ${n}`, 2)], 'Friday');
  expect(format(msg('SYSTEM', [text('Be kind.')], 'system'), msg('USER', [text('one')]), reply(1), msg('USER', [text('two')]), reply(2), msg('USER', [text('three')]))).toEqual([
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'one' },
    { role: 'assistant', content: null, name: 'Friday', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get', arguments: '{"a":1}' } }] },
    { role: 'tool', tool_call_id: 'c1', content: 'r1' },
    { role: 'assistant', content: 'answer 1', name: 'Friday' },
    { role: 'user', content: 'two' },
    { role: 'assistant', content: null, name: 'Friday', tool_calls: [{ id: 'c2', type: 'function', function: { name: 'get', arguments: '{"a":1}' } }] },
    { role: 'tool', tool_call_id: 'c2', content: 'r2' },
    { role: 'assistant', content: 'answer 2', name: 'Friday' },
    { role: 'user', content: 'three' },
  ]);
});

test('C040 content is always there beside calls, and text beside calls is kept', () => {
  const [, alone, , both] = format(msg('ASSISTANT', [use('a', 1), done('a', [text('x')]), text('so', 2), use('b', 2), done('b', [text('y')])]));
  expect(alone).toMatchObject({ content: null, tool_calls: [{ id: 'a' }] });
  expect(both).toMatchObject({ content: 'so', tool_calls: [{ id: 'b' }] });
});

test('pictures, sound and files go as the API takes them, the rest as a note', () => {
  const data = (mediaType: string, name?: string): ContentBlock => ({ type: 'data', source: { type: 'base64', data: 'AAAA', mediaType }, ...(name === undefined ? {} : { name }) });
  const url = (address: string): ContentBlock => ({ type: 'data', source: { type: 'url', url: address } });
  const [wire] = format(msg('USER', [text('look'), data('image/png'), url('https://x/a.jpg?s=1'), data('audio/mpeg'), data('application/pdf', 'a.pdf'), url('https://x/a.mp4'), url('https://x/a.pdf'), data('audio/ogg')]));
  expect(wire?.content).toEqual([
    { type: 'text', text: 'look' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    { type: 'image_url', image_url: { url: 'https://x/a.jpg?s=1' } },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
    { type: 'text', text: '[video/mp4 at https://x/a.mp4, not shown]' },
    { type: 'text', text: '[application/pdf at https://x/a.pdf, not shown]' },
    { type: 'text', text: '[audio/ogg, not shown: this model cannot take it]' },
  ]);
  const inText = format(msg('USER', [{ type: 'data', source: { type: 'base64', data: 'aGVsbG8=', mediaType: 'text/plain' }, name: 'a.txt' }, data('image/bmp')]));
  expect(inText[0]?.content).toEqual([{ type: 'text', text: 'a.txt:\nhello' }, { type: 'text', text: '[image/bmp, not shown: this model cannot take it]' }]);
});

test('names are left out where a server refuses them; long ids are cut where it limits them', () => {
  const messages = [msg('USER', [text('x')], 'a b'), msg('ASSISTANT', [use('y'.repeat(60), 1), done('y'.repeat(60), [text('r')])], '数据')];
  expect(new OpenAIChatFormatter(PROFILES.compatible).format(messages, options).some((one) => 'name' in one)).toBe(false);
  const [said, called, answered] = new OpenAIChatFormatter().format(messages, options);
  expect([said?.name, called?.name, answered?.tool_call_id]).toEqual(['a_b', '__', 'y'.repeat(40)]);
});

test('unknown members a server put beside a call go back to it', () => {
  const signed = use('a', 1, { metadata: { openai: { extra_content: { google: { thought_signature: 's' } } } } });
  expect(format(msg('ASSISTANT', [signed, done('a', [text('r')])]))[1]?.tool_calls).toMatchObject([{ extra_content: { google: { thought_signature: 's' } } }]);
});

const words = fc.constantFrom('hi', '', '  ', 'x\ud83dy', '晴天', '"quoted"\n');
const ids = fc.constantFrom('a', 'b', 'c', '', '__proto__');
const anyBlock: fc.Arbitrary<ContentBlock> = fc.oneof(
  fc.tuple(words, fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })).map(([value, call]) => text(value, call)),
  words.map((thinking): ContentBlock => ({ type: 'thinking', thinking })),
  fc.tuple(ids, fc.constantFrom('{}', '{"a":1}', '{"a', '', 'null'), fc.constantFrom('get', 'bad name', ''), fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })).map(([id, content, name, call]) => use(id, call, { content, name, input: content === '{"a":1}' ? { a: 1 } : {} })),
  fc.tuple(ids, words, fc.constantFrom('success', 'error', 'interrupted', 'denied', 'running')).map(([id, value, state]) => done(id, [text(value)], { state })),
  ids.map((id) => done(id, [{ type: 'image', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' } }])),
  words.map((hint): ContentBlock => ({ type: 'hint', id: 'h', hint, source: null })),
  fc.constant<ContentBlock>({ type: 'data', source: { type: 'url', url: 'https://x/y.png' } }),
);
const anyHistory = fc.array(fc.tuple(fc.constantFrom<MsgData['role']>('USER', 'ASSISTANT', 'ASSISTANT', 'SYSTEM', 'TOOL'), fc.array(anyBlock, { maxLength: 8 }), fc.constantFrom(null, 'Friday', 'a b', '数据')), { maxLength: 8 }).map((list) => list.map(([role, content, name]) => msg(role, content, name)));

test('S4-046 whatever the history, the request obeys the rules of the API and the history stays', () => {
  fc.assert(
    fc.property(anyHistory, (messages) => {
      const before = JSON.stringify(messages.map((one) => [one.role, one.content]));
      expect(brokenRules(new OpenAIChatFormatter().format(messages, options))).toEqual([]);
      expect(JSON.stringify(messages.map((one) => [one.role, one.content]))).toBe(before);
    }),
    { numRuns: 1000 },
  );
});

test('a formatter used before gives what a new one gives', () => {
  const used = new OpenAIChatFormatter();
  fc.assert(
    fc.property(anyHistory, fc.array(fc.nat(), { maxLength: 4 }), (messages, at) => {
      for (const n of at) used.format(messages.slice(0, n % (messages.length + 1)), options);
      expect(used.format(messages, options)).toEqual(new OpenAIChatFormatter().format(messages, options));
    }),
  );
});

test('I11 the request up to the last model call is a byte-equal prefix of the next one', () => {
  const round = fc.record({ texts: fc.array(words, { maxLength: 2 }), calls: fc.integer({ min: 1, max: 3 }), hint: fc.boolean() });
  fc.assert(
    fc.property(fc.array(round, { minLength: 1, maxLength: 6 }), anyHistory, (rounds, earlier) => {
      const formatter = new OpenAIChatFormatter();
      const start = [...earlier.filter((one) => one.role === 'USER'), msg('USER', [text('go')])];
      const bodyOf = (blocks: readonly ContentBlock[]): string => {
        const messages = formatter.format([...start, ...(blocks.length > 0 ? [msg('ASSISTANT', blocks, 'Friday')] : [])], options);
        return requestText({ messages: [] }, { modelName: 'm', stream: true, profile: PROFILES.openai, messages });
      };
      const blocks: ContentBlock[] = [];
      let last = bodyOf(blocks).slice(0, -2);
      rounds.forEach(({ texts, calls, hint }, at) => {
        const n = at + 1;
        const made = Array.from({ length: calls }, (_, k) => use(k === 0 ? 'same' : `c${n}-${k}`, n));
        blocks.push(...texts.map((value) => text(value, n)), ...made, ...made.map((one) => done(one.id, [text(`r${n}`)])));
        if (hint) blocks.push({ type: 'hint', id: `h${n}`, hint: 'remember', source: null });
        const body = bodyOf(blocks);
        expect(body.startsWith(last)).toBe(true);
        last = body.slice(0, -2);
      });
    }),
    { numRuns: 300 },
  );
});

/** What the API refuses (PROVIDERS §1.7, §3), as an independent reader sees it. */
function brokenRules(wire: readonly OpenAIWireMessage[]): string[] {
  const broken: string[] = [];
  const seen = new Set<string>();
  let open: string[] = [];
  const rule = (ok: boolean, name: string): void => void (ok || broken.push(name));
  for (const one of wire) {
    rule(!/\\ud[89a-f]/.test(JSON.stringify(one)), 'half a surrogate');
    if (one.role === 'tool') {
      rule(one.tool_call_id === open.shift(), 'results follow their calls in order');
      rule(typeof one.content === 'string' && one.content.trim() !== '', 'a result has text');
      continue;
    }
    rule(open.length === 0, 'every call has a result');
    rule(one.name === undefined || /^[a-zA-Z0-9_-]{1,64}$/.test(one.name), 'legal names');
    if (one.role !== 'assistant') {
      rule(typeof one.content === 'string' ? one.content.trim() !== '' : Array.isArray(one.content) && one.content.length > 0, 'something is said');
      continue;
    }
    const calls = (one.tool_calls ?? []) as { id: string; function: { name: string; arguments: string } }[];
    rule('content' in one && (one.content !== null || calls.length > 0), 'content is there');
    rule(one.tool_calls === undefined || calls.length > 0, 'no empty list of calls');
    for (const { id, function: fn } of calls) {
      rule(id !== '' && !seen.has(id), 'call ids are unique');
      seen.add(id);
      rule(/^[a-zA-Z0-9_-]{1,64}$/.test(fn.name), 'legal tool names');
      rule(typeof JSON.parse(fn.arguments) === 'object', 'arguments are an object');
    }
    open = calls.map((call) => call.id);
  }
  rule(open.length === 0, 'every call has a result');
  rule(wire.at(-1)?.role !== 'assistant', 'the last turn is not the assistant');
  return broken;
}
