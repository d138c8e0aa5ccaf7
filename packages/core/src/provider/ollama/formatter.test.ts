import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generatedHistory, GENERATED_TOOLS, growingHistory } from '../../../test/generated-histories.ts';
import { Msg } from '../../message/index.ts';
import type { ContentBlock, MsgData, ToolUseBlock } from '../../message/index.ts';
import { validateOllamaRequest } from '../../testing/validators/ollama.ts';
import { OllamaChatFormatter } from './formatter.ts';
import { requestText } from './request.ts';
import type { OllamaWireMessage } from './wire.ts';

const msg = (role: MsgData['role'], content: readonly ContentBlock[], name: string | null = null): Msg => Msg.from({ id: 'm', role, name, content, metadata: {}, timestamp: null, usage: null });
const text = (value: string, more: object = {}): ContentBlock => ({ type: 'text', text: value, ...more });
const use = (id: string, more: Partial<ToolUseBlock> = {}): ToolUseBlock => ({ type: 'tool_use', id, name: 'get', input: { a: 1 }, content: '{"a":1}', state: 'finished', metadata: {}, ...more });
const done = (id: string, output: readonly ContentBlock[] = [text('r')], more: object = {}): ContentBlock => ({ type: 'tool_result', id, name: 'get', output, state: 'success', metadata: {}, ...more });
const data = (mediaType: string, base64 = 'AAAA'): ContentBlock => ({ type: 'data', source: { type: 'base64', data: base64, mediaType } });
const wireOf = (...messages: readonly Msg[]): OllamaWireMessage[] => new OllamaChatFormatter().format(messages, { tools: undefined, modelName: 'm' });
const user = (content: string): OllamaWireMessage => ({ role: 'user', content });
const called = (...ids: readonly string[]): OllamaWireMessage => ({ role: 'assistant', content: '', tool_calls: ids.map((id) => ({ id, function: { name: 'get', arguments: { a: 1 } } })) });
const result = (id: string, content = 'r'): OllamaWireMessage => ({ role: 'tool', content, tool_name: 'get', tool_call_id: id });
const go = msg('USER', [text('go')]);

test('S4-044 S4-045 system prompt and three turns with tools become the roles and the order the API wants', () => {
  const reply = (n: number): Msg => msg('ASSISTANT', [{ type: 'thinking', thinking: 'hm', call: 1 }, use(`c${n}`, { call: 1 }), done(`c${n}`, [text(`r${n}`)]), text(`answer ${n}`, { call: 2 })], 'Friday');
  const turn = (n: number): OllamaWireMessage[] => [called(`c${n}`), result(`c${n}`, `r${n}`), { role: 'assistant', content: `answer ${n}` }];
  expect(wireOf(msg('SYSTEM', [text('Be kind.')]), msg('USER', [text('one')], 'Alice'), reply(1), msg('USER', [text('two')]), reply(2), msg('USER', [text('three')]))).toEqual([
    { role: 'system', content: 'Be kind.' }, user('one'), ...turn(1), user('two'), ...turn(2), user('three'),
  ]);
});

test('C021 C029 C046 arguments are objects, whatever their text was', () => {
  const special = JSON.parse('{"__proto__":{"admin":true},"constructor":1}') as ToolUseBlock['input'];
  const [, , ...rest] = wireOf(go, msg('ASSISTANT', [text('so'), use('a', { content: '{"city": "Lis', input: {} }), use('b', { content: null, input: special }), use('c', { content: '{ "a" : 1 }' })]), go).slice(0, 2).flatMap((message) => [message, ...(message.tool_calls ?? [])]);
  expect(rest.map((call) => ('function' in call ? JSON.stringify(call.function.arguments) : ''))).toEqual(['{}', '{"__proto__":{"admin":true},"constructor":1}', '{"a":1}']);
});

test('C024 C027 C030 every call has its one result, in call order, ids that come twice stay apart, and an open call is answered', () => {
  const reply = msg('ASSISTANT', [use('x', { call: 1 }), use('x', { call: 1 }), use('y', { call: 1 }), done('y', [text('three')]), done('x', [text('one')]), done('x', [text('two')]), use('x', { call: 2 })]);
  expect(wireOf(go, reply, go)).toEqual([
    user('go'), called('x', 'x_2', 'y'), result('x', 'one'), result('x_2', 'two'), result('y', 'three'), called('x_3'), result('x_3', expect.stringContaining('interrupted') as unknown as string), user('go'),
  ]);
});

test('C032 blank text is left out; what has nothing else to say is no message', () => {
  expect(wireOf(go, msg('ASSISTANT', [text(' \n')]), msg('USER', [text('')]), msg('ASSISTANT', [text(''), use('a'), done('a', [text('  ')])]))).toEqual([user('go'), called('a'), result('a', '(no output)')]);
});

test('C041 pictures are bare base64 of a user; those of tools come behind all results, and everything else is a note', () => {
  const url: ContentBlock = { type: 'image', source: { type: 'url', url: 'data:image/png;base64,BBBB' } };
  expect(wireOf(msg('USER', [text('see'), data('image/png'), url, data('audio/wav'), data('image/svg+xml')]))).toEqual([
    { role: 'user', content: 'see\n[audio/wav, not shown: this model cannot take it]\n[image/svg+xml, not shown: this model cannot take it]', images: ['AAAA', 'BBBB'] },
  ]);
  const [, , first, second, shown] = wireOf(go, msg('ASSISTANT', [use('a'), use('b'), done('a', [text('seen'), data('image/png'), data('application/pdf')]), done('b')]));
  expect([first?.content, second?.content, shown]).toEqual([
    'seen\n[image/png, shown below as a#1]\n[application/pdf, not shown: this model cannot take it]', 'r',
    { role: 'user', content: 'Media returned by the tools:\na#1 (get):', images: ['AAAA'] },
  ]);
  expect(wireOf(go, msg('ASSISTANT', [text('look'), data('image/png')]), go)[1]).toEqual({ role: 'assistant', content: 'look\n[image/png, not shown: this model cannot take it]' });
});

test('C043 a system message in the middle stays one; users in a row are one message with all their pictures', () => {
  expect(wireOf(msg('SYSTEM', [text('one')]), go, msg('ASSISTANT', [text('ok')]), msg('SYSTEM', [text('late')]), msg('USER', [text('a'), data('image/png')], 'A'), msg('USER', [data('image/png', 'BBBB')], 'B'), msg('USER', [text('c')]))).toEqual([
    { role: 'system', content: 'one' }, user('go'), { role: 'assistant', content: 'ok' }, { role: 'system', content: 'late' }, { role: 'user', content: 'a\n\nc', images: ['AAAA', 'BBBB'] },
  ]);
  expect(wireOf()).toEqual([user('Please go on.')]);
});

test('S0-018 an old media block gives the bytes of the new one', () => {
  const source = { type: 'base64', data: 'AAAA', mediaType: 'image/png' } as const;
  expect(wireOf(msg('USER', [{ type: 'image', source }]))).toEqual(wireOf(msg('USER', [{ type: 'data', source }])));
});

const bodyOf = (formatter: OllamaChatFormatter, messages: readonly Msg[]): string =>
  requestText({ messages, tools: GENERATED_TOOLS, toolChoice: 'auto' }, { modelName: 'm', stream: true, messages: formatter.format(messages, { tools: GENERATED_TOOLS, modelName: 'm' }) });

test('I5 S4-046 C032 whatever the history, Ollama is asked something it takes, and the history stays', () => {
  fc.assert(
    fc.property(generatedHistory, (messages) => {
      const before = JSON.stringify(messages);
      const body = bodyOf(new OllamaChatFormatter(), messages);
      expect(validateOllamaRequest(JSON.parse(body))).toEqual([]);
      expect(body).not.toMatch(/sig-1|opaque-1|"enc"|rs_1|c2ln"/);
      expect(JSON.stringify(messages)).toBe(before);
    }),
    { numRuns: 1_000 },
  );
});

test('a formatter used before gives what a new one gives', () => {
  const used = new OllamaChatFormatter();
  fc.assert(
    fc.property(generatedHistory, fc.array(fc.nat(), { maxLength: 4 }), (messages, at) => {
      for (const n of at) used.format(messages.slice(0, n % (messages.length + 1)), { tools: GENERATED_TOOLS, modelName: 'm' });
      expect(bodyOf(used, messages)).toBe(bodyOf(new OllamaChatFormatter(), messages));
    }),
    { numRuns: 300 },
  );
});

test('I11 the request up to the last model call is a byte-equal prefix of the next one', () => {
  fc.assert(
    fc.property(growingHistory, (histories) => {
      const formatter = new OllamaChatFormatter();
      const bodies = histories.map((messages) => bodyOf(formatter, messages));
      bodies.forEach((body, at) => {
        const { messages } = JSON.parse(body) as { messages: readonly object[] };
        const upTo = body.slice(0, body.lastIndexOf(JSON.stringify(messages.at(-1))) - 1); // the last message of the user may still grow
        expect(bodies[at + 1]?.startsWith(upTo) ?? true).toBe(true);
      });
    }),
    { numRuns: 300 },
  );
});
