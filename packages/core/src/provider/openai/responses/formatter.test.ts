import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generatedHistory, GENERATED_TOOLS, growingHistory } from '../../../../test/generated-histories.ts';
import { Msg } from '../../../message/index.ts';
import type { ContentBlock, MsgData, ToolUseBlock } from '../../../message/index.ts';
import { validateOpenAIResponsesRequest } from '../../../testing/validators/openai-responses.ts';
import { OpenAIResponsesFormatter } from './formatter.ts';
import { requestText } from './request.ts';
import type { OpenAIResponsesItem } from './wire.ts';

const msg = (role: MsgData['role'], content: readonly ContentBlock[], name: string | null = null): Msg => Msg.from({ id: 'm', role, name, content, metadata: {}, timestamp: null, usage: null });
const text = (value: string, more: object = {}): ContentBlock => ({ type: 'text', text: value, ...more });
const use = (id: string, more: Partial<ToolUseBlock> = {}): ToolUseBlock => ({ type: 'tool_use', id, name: 'get', input: { a: 1 }, content: '{"a":1}', state: 'finished', metadata: {}, ...more });
const done = (id: string, output: readonly ContentBlock[] = [text('r')], more: object = {}): ContentBlock => ({ type: 'tool_result', id, name: 'get', output, state: 'success', metadata: {}, ...more });
const thought = (thinking: string, openai: object, more: object = {}): ContentBlock => ({ type: 'thinking', thinking, metadata: { openai }, ...more }) as ContentBlock;
const picture: ContentBlock = { type: 'data', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' } };
const itemsOf = (messages: readonly Msg[], store = false): readonly OpenAIResponsesItem[] => new OpenAIResponsesFormatter({ store }).format(messages, { tools: undefined, modelName: 'm' });
const go = msg('USER', [text('go')]);
const OWN = { model: 'm', id: 'rs_1', encrypted_content: 'enc' };

test('S4-044 S4-045 system prompt and three turns with tools become items in the order the API wants', () => {
  const reply = (n: number): Msg => msg('ASSISTANT', [use(`c${n}`, { call: 1 }), done(`c${n}`, [text(`r${n}`)]), text(`answer ${n}`, { call: 2 })], 'Friday');
  const called = (n: number): object[] => [
    { type: 'function_call', call_id: `c${n}`, name: 'get', arguments: '{"a":1}' },
    { type: 'function_call_output', call_id: `c${n}`, output: `r${n}` },
    { role: 'assistant', content: [{ type: 'output_text', text: `answer ${n}` }] },
  ];
  expect(itemsOf([msg('SYSTEM', [text('Be kind.')]), msg('USER', [text('one')], 'Alice'), reply(1), msg('USER', [text('two')]), reply(2), msg('USER', [text('three')])])).toEqual([
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'one' },
    ...called(1),
    { role: 'user', content: 'two' },
    ...called(2),
    { role: 'user', content: 'three' },
  ]);
});

test('reasoning goes back encrypted, whole, in its place, before the call it led to', () => {
  const reply = msg('ASSISTANT', [thought('part one', { model: 'm', id: 'rs_1' }, { call: 1 }), thought('part two', OWN, { call: 1 }), use('a', { call: 1 }), done('a'), thought('', { ...OWN, id: 'rs_2' }, { call: 2 }), text('so', { call: 2 })]);
  const reloaded = Msg.from(JSON.parse(JSON.stringify(reply)) as MsgData);
  expect(itemsOf([go, reloaded, go]).slice(1, -1)).toEqual([
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'part one' }, { type: 'summary_text', text: 'part two' }], encrypted_content: 'enc' },
    { type: 'function_call', call_id: 'a', name: 'get', arguments: '{"a":1}' },
    { type: 'function_call_output', call_id: 'a', output: 'r' },
    { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'enc' },
    { role: 'assistant', content: [{ type: 'output_text', text: 'so' }] },
  ]);
});

test('reasoning of another provider or model, without its answer, or twice does not go back; by its id only where it was stored', () => {
  const reasoning = (reply: readonly ContentBlock[], store = false): unknown[] => itemsOf([go, msg('ASSISTANT', reply), go], store).flatMap((item) => (item['type'] === 'reasoning' ? [item['id']] : []));
  expect(reasoning([{ type: 'thinking', thinking: 'x', metadata: { anthropic: { signature: 's' } } }, text('a')])).toEqual([]);
  expect(reasoning([thought('x', { ...OWN, model: 'other' }), text('a')])).toEqual([]);
  expect(reasoning([text('a'), thought('x', OWN)])).toEqual([]);
  expect(reasoning([thought('x', OWN)])).toEqual([]);
  expect(reasoning([thought('x', OWN), text('a'), thought('x', OWN), text('b')])).toEqual(['rs_1']);
  expect(reasoning([thought('x', { model: 'm', id: 'rs_1' }), text('a')])).toEqual([]);
  expect(reasoning([thought('x', { model: 'm', id: 'rs_1' }), text('a')], true)).toEqual(['rs_1']);
});

test('C041 pictures and papers stand in the result they came with, the rest is noted', () => {
  const paper: ContentBlock = { type: 'data', source: { type: 'url', url: 'https://x.example/a.pdf' } };
  const film: ContentBlock = { type: 'video', source: { type: 'url', url: 'https://x.example/a.mp4' } };
  const [, , , first, second] = itemsOf([go, msg('ASSISTANT', [use('a'), use('b'), done('a', [text('see'), picture, paper]), done('b', [film])])]);
  expect(first?.['output']).toEqual([{ type: 'input_text', text: 'see' }, { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' }, { type: 'input_file', file_url: 'https://x.example/a.pdf' }]);
  expect(second?.['output']).toBe('[video/mp4 at https://x.example/a.mp4, not shown]');
});

test('S0-018 an old media block gives the bytes of the new one', () => {
  const source = { type: 'base64', data: 'AAAA', mediaType: 'image/png' } as const;
  expect(itemsOf([msg('USER', [{ type: 'image', source }])])).toEqual(itemsOf([msg('USER', [{ type: 'data', source }])]));
});

test('C024 C027 C045 ids that come twice stay apart, results come in call order, names are not sent', () => {
  const items = itemsOf([msg('USER', [text('go')], 'Alice B'), msg('ASSISTANT', [use('x', { content: '{"n":1}', input: { n: 1 }, call: 1 }), use('x', { content: '{"n":2}', input: { n: 2 }, call: 1 }), done('x', [text('one')]), done('x', [text('two')]), use('x', { call: 2 }), done('x', [text('three')])], 'Friday')]);
  expect(items.map((item) => [item['call_id'], item['output'] ?? item['arguments']]).slice(1)).toEqual([['x', '{"n":1}'], ['x_2', '{"n":2}'], ['x', 'one'], ['x_2', 'two'], ['x_3', '{"a":1}'], ['x_3', 'three']]);
  expect(JSON.stringify(items)).not.toMatch(/Alice|Friday/);
});

test('the phase of a message goes back with it', () => {
  const reply = msg('ASSISTANT', [{ ...text('hm'), metadata: { openai: { model: 'm', phase: 'commentary' } } } as ContentBlock]);
  expect(itemsOf([go, reply, go])[1]).toEqual({ role: 'assistant', content: [{ type: 'output_text', text: 'hm' }], phase: 'commentary' });
});

const bodyOf = (formatter: OpenAIResponsesFormatter, messages: readonly Msg[], modelName = 'm', store = false): string =>
  requestText({ messages, tools: GENERATED_TOOLS, toolChoice: 'auto' }, { modelName, stream: true, store, strict: { tools: true, format: true }, input: formatter.format(messages, { tools: GENERATED_TOOLS, modelName }) });

for (const store of [false, true]) {
  test(`I5 S4-046 whatever the history, the request is one the API takes, and the history stays (store: ${store})`, () => {
    fc.assert(
      fc.property(generatedHistory, (messages) => {
        const before = JSON.stringify(messages);
        const body = bodyOf(new OpenAIResponsesFormatter({ store }), messages, 'm', store);
        expect(validateOpenAIResponsesRequest(JSON.parse(body))).toEqual([]);
        expect(body).not.toMatch(/sig-1|opaque-1|c2ln/);
        expect(JSON.stringify(messages)).toBe(before);
      }),
      { numRuns: 500 },
    );
  });
}

test('a formatter used before, for another model too, gives what a new one gives', () => {
  const used = new OpenAIResponsesFormatter();
  fc.assert(
    fc.property(generatedHistory, fc.array(fc.nat(), { maxLength: 4 }), (messages, at) => {
      for (const n of at) used.format(messages.slice(0, n % (messages.length + 1)), { tools: GENERATED_TOOLS, modelName: n % 2 === 0 ? 'm' : 'n' });
      expect(bodyOf(used, messages)).toBe(bodyOf(new OpenAIResponsesFormatter(), messages));
    }),
    { numRuns: 300 },
  );
});

test('I11 each request is a byte-equal prefix of the next one', () => {
  fc.assert(
    fc.property(growingHistory, (histories) => {
      const formatter = new OpenAIResponsesFormatter();
      const bodies = histories.map((messages) => bodyOf(formatter, messages));
      bodies.slice(1).forEach((body, at) => expect(body.startsWith((bodies[at] ?? '').slice(0, -2))).toBe(true));
    }),
    { numRuns: 300 },
  );
});
