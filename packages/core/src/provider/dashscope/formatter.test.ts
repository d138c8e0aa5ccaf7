import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generatedHistory, GENERATED_TOOLS, growingHistory } from '../../../test/generated-histories.ts';
import { Msg } from '../../message/index.ts';
import type { ContentBlock, MsgData, ToolUseBlock } from '../../message/index.ts';
import type { GenerateOptions, ToolChoice, ToolSchema } from '../../model/index.ts';
import { validateDashScopeRequest } from '../../testing/validators/dashscope.ts';
import { DashScopeChatFormatter } from './formatter.ts';
import type { DashScopeFormatterOptions } from './formatter.ts';
import { requestText } from './request.ts';
import type { RequestSettings } from './request.ts';
import type { DashScopeWireMessage } from './wire.ts';

const msg = (role: MsgData['role'], content: readonly ContentBlock[], name: string | null = null): Msg => Msg.from({ id: 'm', role, name, content, metadata: {}, timestamp: null, usage: null });
const text = (value: string, more: object = {}): ContentBlock => ({ type: 'text', text: value, ...more });
const thinking = (value: string, more: object = {}): ContentBlock => ({ type: 'thinking', thinking: value, metadata: { dashscope: { reasoning: true } }, ...more });
const use = (id: string, more: Partial<ToolUseBlock> = {}): ToolUseBlock => ({ type: 'tool_use', id, name: 'get', input: { a: 1 }, content: '{"a":1}', state: 'finished', metadata: {}, ...more });
const done = (id: string, output: readonly ContentBlock[] = [text('r')], more: object = {}): ContentBlock => ({ type: 'tool_result', id, name: 'get', output, state: 'success', metadata: {}, ...more });
const data = (mediaType: string, base64 = 'AAAA'): ContentBlock => ({ type: 'data', source: { type: 'base64', data: base64, mediaType } });
const at = (url: string, mediaType?: string): ContentBlock => ({ type: 'data', source: { type: 'url', url, ...(mediaType === undefined ? {} : { mediaType }) } });
const wireOf = (messages: readonly Msg[], options: DashScopeFormatterOptions = {}, modelName = 'qwen-plus', tools?: readonly ToolSchema[]): DashScopeWireMessage[] => new DashScopeChatFormatter(options).format(messages, { tools, modelName });
const user = (content: unknown): DashScopeWireMessage => ({ role: 'user', content });
const called = (...ids: readonly string[]): DashScopeWireMessage => ({ role: 'assistant', content: '', tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'get', arguments: '{"a":1}' } })) });
const result = (id: string, content: unknown = 'r'): DashScopeWireMessage => ({ role: 'tool', tool_call_id: id, content });
const go = msg('USER', [text('go')]);

test('S4-044 S4-045 C039 system prompt and three turns with tools become the roles and the order the API wants, without thinking', () => {
  const reply = (n: number): Msg => msg('ASSISTANT', [thinking('hm', { call: 1 }), use(`c${n}`, { call: 1 }), done(`c${n}`, [text(`r${n}`)]), text(`answer ${n}`, { call: 2 })], 'Friday');
  const turn = (n: number): DashScopeWireMessage[] => [called(`c${n}`), result(`c${n}`, `r${n}`), { role: 'assistant', content: `answer ${n}` }];
  const messages = [msg('SYSTEM', [text('Be kind.')]), msg('USER', [text('one')], 'Alice B'), reply(1), msg('USER', [text('two'), text('more')]), reply(2), msg('USER', [text('three')])];
  expect(wireOf(messages)).toEqual([{ role: 'system', content: 'Be kind.' }, user('one'), ...turn(1), user('two\nmore'), ...turn(2), user('three')]);
});

test('S4-045 the same in parts, where the model is served at the multimodal endpoint by its name or by the option', () => {
  const parts = [
    { role: 'system', content: [{ text: 'Be kind.' }] },
    user([{ text: 'go' }, { text: 'on' }]),
    { role: 'assistant', content: [{ text: '' }], tool_calls: called('c').tool_calls },
    result('c', [{ text: 'r\ns' }]),
    { role: 'assistant', content: [{ text: 'so' }] },
    user([{ text: 'go' }]),
  ];
  const messages = [msg('SYSTEM', [text('Be kind.')]), msg('USER', [text('go'), text('on')]), msg('ASSISTANT', [use('c', { call: 1 }), done('c', [text('r'), text('s')]), text('so', { call: 2 })]), go];
  for (const modelName of ['qwen-vl-max', 'qwen3-vl-plus', 'qvq-max', 'qwen3.5-plus', 'qwen3-asr-flash', 'kimi-k2.5']) expect(wireOf(messages, {}, modelName)).toEqual(parts);
  expect(wireOf(messages, { multimodal: true })).toEqual(parts);
  for (const modelName of ['qwen-plus', 'qwen3-max', 'qwen3.7-max', 'deepseek-v3']) expect(wireOf(messages, {}, modelName).every(({ content }) => typeof content === 'string')).toBe(true);
  expect(wireOf(messages, { multimodal: false }, 'qwen3-vl-plus')[1]).toEqual(user('go\non'));
});

test('C039 thinking goes back where it is wanted: that of this provider, of turns with calls or of all', () => {
  const messages = [go, msg('ASSISTANT', [thinking('r1', { call: 1 }), use('c', { call: 1 }), done('c'), thinking('r2', { call: 2 }), text('so', { call: 2 })]), msg('USER', [text('and?')]), msg('ASSISTANT', [thinking('foreign', { metadata: { anthropic: { signature: 's' } } }), use('d'), done('d')])];
  const reasons = (options: DashScopeFormatterOptions, modelName?: string): unknown => wireOf(messages, options, modelName).flatMap(({ role, reasoning_content: thought }) => (role === 'assistant' ? [thought ?? ''] : []));
  expect([reasons({}), reasons({ replay: 'calls' }), reasons({ replay: 'all' }), reasons({}, 'kimi-k2-thinking'), reasons({ replay: 'none' }, 'kimi-k2.5')]).toEqual([['', '', ''], ['r1', '', ''], ['r1', 'r2', ''], ['r1', '', ''], ['', '', '']]);
  expect(wireOf([go, msg('ASSISTANT', [thinking('only')]), go], { replay: 'all' }).map(({ role }) => role)).not.toContain('assistant');
});

test('C021 C029 C046 arguments are JSON text of an object, whatever their text was', () => {
  const special = JSON.parse('{"__proto__":{"admin":true},"constructor":1}') as ToolUseBlock['input'];
  const [, message] = wireOf([go, msg('ASSISTANT', [text('so'), use('a', { content: '{"city": "Lis', input: {} }), use('b', { content: null, input: special }), use('c', { content: '{ "a" : 1 }' })]), go]);
  const calls = message?.tool_calls as readonly { function: { arguments: string } }[];
  expect([message?.content, ...calls.map((call) => call.function.arguments)]).toEqual(['so', '{}', '{"__proto__":{"admin":true},"constructor":1}', '{ "a" : 1 }']);
});

test('C024 C027 C030 C040 every call has its one result, in call order, ids that come twice stay apart, an open call is answered, and content is there', () => {
  const reply = msg('ASSISTANT', [use('x', { call: 1 }), use('x', { call: 1 }), use('y', { call: 1 }), done('y', [text('three')]), done('x', [text('one')]), done('x', [text('two')]), use('x', { call: 2 })]);
  expect(wireOf([go, reply, go])).toEqual([
    user('go'), called('x', 'x_2', 'y'), result('x', 'one'), result('x_2', 'two'), result('y', 'three'), called('x_3'), result('x_3', expect.stringContaining('interrupted')), user('go'),
  ]);
});

test('C026 a tool called "search", which DashScope keeps for itself, has another name, also in the history', () => {
  const nameOf = (...names: readonly string[]): unknown => {
    const tools = names.map((name) => ({ name, description: '', inputSchema: {} }));
    const [, message] = wireOf([go, msg('ASSISTANT', [use('c', { name: 'search' })]), go], {}, 'qwen-plus', tools);
    return (message?.tool_calls as readonly { function: { name: string } }[] | undefined)?.[0]?.function.name;
  };
  expect([nameOf('search'), nameOf('search', 'search_2'), nameOf()]).toEqual(['search_2', 'search_3', 'search_2']);
});

test('a formatter used with other tools, and another model, gives what a new one gives', () => {
  const used = new DashScopeChatFormatter();
  const messages = [go, msg('ASSISTANT', [use('c', { name: 'search' }), done('c')])];
  const options = [['search'], ['search', 'search_2'], []].flatMap((names) => ['qwen-plus', 'qwen-vl-max', 'kimi-k2.5', 'qwen-audio-turbo'].map((modelName) => ({ modelName, tools: names.map((name) => ({ name, description: '', inputSchema: {} })) })));
  for (const one of [...options, ...options]) expect(used.format(messages, one)).toEqual(new DashScopeChatFormatter().format(messages, one));
});

test('C032 blank text is left out; what has nothing else to say is no message', () => {
  expect(wireOf([go, msg('ASSISTANT', [text(' \n')]), msg('USER', [text('')]), msg('ASSISTANT', [text(''), use('a'), done('a', [text('  ')])])])).toEqual([user('go'), called('a'), result('a', '(no output)')]);
  expect(wireOf([])).toEqual([user('Please go on.')]);
});

test('C041 media in parts; those of tools come behind all results; what the model cannot take is a note, never silence', () => {
  const shown = [text('see'), data('image/png'), at('https://x/a.jpg'), at('oss://files/b.png', 'image/png'), at('https://x/film.mp4'), data('image/svg+xml'), data('audio/wav'), data('application/pdf'), data('text/plain', 'aGVsbG8='), at('file:///etc/passwd', 'image/png')];
  const sees = [{ text: 'see' }, { image: 'data:image/png;base64,AAAA' }, { image: 'https://x/a.jpg' }, { image: 'oss://files/b.png' }, { video: 'https://x/film.mp4' }];
  const notes = (...list: readonly string[]): object[] => list.map((note) => ({ text: note }));
  const cannot = (type: string): string => `[${type}, not shown: this model cannot take it]`;
  const [first] = wireOf([msg('USER', shown)], {}, 'qwen-vl-max');
  expect(first).toEqual(user([...sees, ...notes(cannot('image/svg+xml'), cannot('audio/wav'), cannot('application/pdf'), 'hello', '[image/png at file:///etc/passwd, not shown]')]));
  expect(wireOf([msg('USER', [data('audio/wav'), data('image/png')])], {}, 'qwen-audio-turbo')).toEqual([user([{ audio: 'data:audio/wav;base64,AAAA' }, ...notes(cannot('image/png'))])]);
  expect(wireOf([msg('USER', [data('audio/wav')])], { input: ['audio'] }, 'qwen-vl-max')).toEqual([user([{ audio: 'data:audio/wav;base64,AAAA' }])]);
  expect(wireOf([msg('USER', [text('see'), data('image/png')])])).toEqual([user(`see\n${cannot('image/png')}`)]);

  const fromTool = msg('ASSISTANT', [use('a'), use('b'), done('a', [text('seen'), data('image/png')]), done('b')]);
  expect(wireOf([go, fromTool], {}, 'qwen-vl-max').slice(2)).toEqual([
    result('a', [{ text: 'seen\n[image/png, shown below as a#1]' }]), result('b', [{ text: 'r' }]),
    user([{ text: 'Media returned by the tools:' }, { text: 'a#1 (get):' }, { image: 'data:image/png;base64,AAAA' }]),
  ]);
  expect(wireOf([go, fromTool]).slice(2)).toEqual([result('a', `seen\n${cannot('image/png')}`), result('b')]);
  expect(wireOf([go, msg('ASSISTANT', [text('look'), data('image/png')]), go], {}, 'qwen-vl-max')[1]).toEqual({ role: 'assistant', content: notes('look', cannot('image/png')) });
});

test('C043 leading system messages are one; a later one is said by the user, marked, at its place', () => {
  const messages = [msg('SYSTEM', [text('one')]), msg('SYSTEM', [text('two')]), go, msg('ASSISTANT', [text('ok')]), msg('SYSTEM', [text('late')]), go];
  expect(wireOf(messages)).toEqual([{ role: 'system', content: 'one\n\ntwo' }, user('go'), { role: 'assistant', content: 'ok' }, user('<system>\nlate\n</system>'), user('go')]);
  expect(wireOf(messages, { lateSystem: (late) => `Note: ${late}` }, 'qwen-vl-max').slice(0, 4)).toEqual([{ role: 'system', content: [{ text: 'one' }, { text: 'two' }] }, user([{ text: 'go' }]), { role: 'assistant', content: [{ text: 'ok' }] }, user([{ text: 'Note: late' }])]);
});

test('S0-018 an old media block gives what the new one gives', () => {
  const source = { type: 'base64', data: 'AAAA', mediaType: 'image/png' } as const;
  expect(wireOf([msg('USER', [{ type: 'image', source }])], {}, 'qwen-vl-max')).toEqual(wireOf([msg('USER', [{ type: 'data', source }])], {}, 'qwen-vl-max'));
});

const TOOLS: readonly ToolSchema[] = [...GENERATED_TOOLS, { name: 'search', description: '', inputSchema: {} }];
const MODELS = ['qwen-plus', 'qwen3-vl-plus', 'kimi-k2.5', 'qwen-audio-turbo', 'qwen3-8b', 'qwq-plus', 'qwen3.5-plus'] as const;
const anyOptions: fc.Arbitrary<GenerateOptions> = fc.record(
  { temperature: fc.constantFrom(0, 0.7, 2), topP: fc.constantFrom(0, 1), maxTokens: fc.constantFrom(1, 100), thinkingBudget: fc.constantFrom(-1, 0, 100), reasoningEffort: fc.constantFrom('none', 'low'), parallelToolCalls: fc.boolean(), cacheControl: fc.boolean(), frequencyPenalty: fc.constant(0.5) },
  { requiredKeys: [] },
);
const anySettings: fc.Arbitrary<Omit<RequestSettings, 'modelName'>> = fc.record({ stream: fc.boolean(), enableThinking: fc.constantFrom(undefined, true, false), preserveThinking: fc.constantFrom(undefined, true), incrementalOutput: fc.constantFrom(undefined, false) });
const anyChoice = fc.constantFrom<ToolChoice | undefined>(undefined, 'auto', 'none', 'required', { tool: 'search' }, { tool: '查询' });

test('I5 S4-046 C032 whatever the history, the model and the options, DashScope is asked something it takes, and the history stays', () => {
  const formatter = new DashScopeChatFormatter();
  let withCalls = 0;
  fc.assert(
    fc.property(generatedHistory, fc.constantFrom(...MODELS), fc.boolean(), anyChoice, anyOptions, anySettings, fc.boolean(), (messages, modelName, hasTools, toolChoice, options, settings, hasFormat) => {
      const before = JSON.stringify(messages);
      const tools = hasTools ? TOOLS : [];
      const wire = formatter.format(messages, { tools, modelName });
      const body = requestText({ messages, tools, toolChoice, options, ...(hasFormat ? { responseFormat: { name: 'x y', schema: { properties: {} } } } : {}) }, { modelName, ...settings }, wire);
      expect(validateDashScopeRequest(JSON.parse(body))).toEqual([]);
      expect(body).not.toMatch(/sig-1|opaque-1|"enc"|rs_1|c2ln"/);
      expect(JSON.stringify(messages)).toBe(before);
      if (body.includes('"tool_call_id"')) withCalls++;
    }),
    { numRuns: 2_000 },
  );
  expect(withCalls).toBeGreaterThan(300);
});

describe.each(['qwen-plus', 'qwen3-vl-plus', 'kimi-k2.5'])('%s', (modelName) => {
  const bodyOf = (formatter: DashScopeChatFormatter, messages: readonly Msg[]): string =>
    requestText({ messages, tools: TOOLS, toolChoice: 'auto' }, { modelName, stream: true }, formatter.format(messages, { tools: TOOLS, modelName }));

  test('a formatter used before gives what a new one gives', () => {
    const used = new DashScopeChatFormatter();
    fc.assert(
      fc.property(generatedHistory, fc.array(fc.nat(), { maxLength: 4 }), (messages, places) => {
        for (const n of places) used.format(messages.slice(0, n % (messages.length + 1)), { tools: TOOLS, modelName });
        expect(bodyOf(used, messages)).toBe(bodyOf(new DashScopeChatFormatter(), messages));
      }),
      { numRuns: 300 },
    );
  });

  test('I11 the request up to the last model call is, byte for byte, the beginning of the next one', () => {
    fc.assert(
      fc.property(growingHistory, (histories) => {
        const formatter = new DashScopeChatFormatter();
        const bodies = histories.map((messages) => bodyOf(formatter, messages));
        bodies.forEach((body, n) => expect(n === 0 || body.startsWith((bodies[n - 1] ?? '').slice(0, -3))).toBe(true));
      }),
      { numRuns: 300 },
    );
  });
});
