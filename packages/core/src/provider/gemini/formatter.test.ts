import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generatedHistory, GENERATED_TOOLS, growingHistory } from '../../../test/generated-histories.ts';
import { Msg } from '../../message/index.ts';
import type { ContentBlock, MsgData, ToolUseBlock } from '../../message/index.ts';
import { validateGeminiRequest } from '../../testing/validators/gemini.ts';
import { GeminiChatFormatter } from './formatter.ts';
import { requestText } from './request.ts';
import type { GeminiContent, GeminiWire } from './wire.ts';

const THIRD = 'gemini-3-pro';
const SECOND = 'gemini-2.5-pro';
const SIGNATURE = { gemini: { model: THIRD, thoughtSignature: 's1xx' } };
const msg = (role: MsgData['role'], content: readonly ContentBlock[], name: string | null = null): Msg => Msg.from({ id: 'm', role, name, content, metadata: {}, timestamp: null, usage: null });
const text = (value: string, more: object = {}): ContentBlock => ({ type: 'text', text: value, ...more });
const use = (id: string, more: Partial<ToolUseBlock> = {}): ToolUseBlock => ({ type: 'tool_use', id, name: 'get', input: { a: 1 }, content: '{"a":1}', state: 'finished', metadata: {}, ...more });
const done = (id: string, output: readonly ContentBlock[] = [text('r')], more: object = {}): ContentBlock => ({ type: 'tool_result', id, name: 'get', output, state: 'success', metadata: {}, ...more });
const picture: ContentBlock = { type: 'data', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' } };
const wireOf = (messages: readonly Msg[], modelName = THIRD): GeminiWire => new GeminiChatFormatter().format(messages, { tools: undefined, modelName });
const contentsOf = (messages: readonly Msg[], modelName = THIRD): readonly GeminiContent[] => wireOf(messages, modelName).contents;
const go = msg('USER', [text('go')]);

test('S4-044 S4-045 system prompt and three turns with tools become the roles and the order the API wants', () => {
  const reply = (n: number): Msg => msg('ASSISTANT', [use(`c${n}`, { call: 1 }), done(`c${n}`, [text(`r${n}`)]), text(`answer ${n}`, { call: 2 })], 'Friday');
  const called = (n: number): GeminiContent[] => [
    { role: 'model', parts: [{ functionCall: { name: 'get', args: { a: 1 } } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'get', response: { output: `r${n}` } } }] },
    { role: 'model', parts: [{ text: `answer ${n}` }] },
  ];
  const said = (value: string): GeminiContent => ({ role: 'user', parts: [{ text: value }] });
  expect(wireOf([msg('SYSTEM', [text('Be kind.')]), msg('USER', [text('one')]), reply(1), msg('USER', [text('two')]), reply(2), msg('USER', [text('three')])], SECOND)).toEqual({
    systemInstruction: { parts: [{ text: 'Be kind.' }] },
    contents: [said('one'), ...called(1), said('two'), ...called(2), said('three')],
  });
});

test('C038 a signature goes back on exactly the part it came with, and none is made up beside it', () => {
  const reply = msg('ASSISTANT', [
    { type: 'thinking', thinking: 'unsigned', call: 1 },
    use('a', { call: 1, metadata: SIGNATURE }),
    use('b', { call: 1 }),
    done('a'),
    done('b'),
    { ...text('so', { call: 2 }), metadata: { gemini: { model: THIRD, thoughtSignature: 's2xx' } } } as ContentBlock,
  ]);
  for (const reloaded of [reply, Msg.from(JSON.parse(JSON.stringify(reply)) as MsgData)]) {
    const [, model, , answer] = contentsOf([go, reloaded, go]);
    expect(model?.parts).toEqual([{ functionCall: { name: 'get', args: { a: 1 } }, thoughtSignature: 's1xx' }, { functionCall: { name: 'get', args: { a: 1 } } }]);
    expect(answer?.parts).toEqual([{ text: 'so', thoughtSignature: 's2xx' }]);
  }
});

test('C038 the value Google documents stands in for a signature from elsewhere, on Gemini 3 only; another model\'s is not sent', () => {
  const foreign = msg('ASSISTANT', [use('a', { call: 1, metadata: { anthropic: { signature: 'x' } } }), use('b', { call: 1 }), done('a'), done('b')]);
  const signaturesIn = (modelName: string, reply: Msg): unknown[] => contentsOf([go, reply], modelName)[1]?.parts.map((part) => part['thoughtSignature']) ?? [];
  expect(signaturesIn(THIRD, foreign)).toEqual(['skip_thought_signature_validator', undefined]);
  expect(signaturesIn('models/gemini-flash-latest', foreign)).toEqual(['skip_thought_signature_validator', undefined]);
  expect(signaturesIn(SECOND, foreign)).toEqual([undefined, undefined]);
  const signed = msg('ASSISTANT', [use('a', { metadata: SIGNATURE }), done('a')]);
  expect([signaturesIn(THIRD, signed), signaturesIn(`models/${THIRD}`, signed), signaturesIn(SECOND, signed), signaturesIn('gemini-3-flash', signed)]).toEqual([['s1xx'], ['s1xx'], [undefined], ['skip_thought_signature_validator']]);
  const ofJava = msg('ASSISTANT', [use('a', { metadata: { thoughtSignature: 'amF2YQ==' } }), done('a')]);
  expect(signaturesIn(THIRD, ofJava)).toEqual(['amF2YQ==']);
});

test('signed thinking goes back as a thought, never as text', () => {
  const [, model] = contentsOf([go, msg('ASSISTANT', [{ type: 'thinking', thinking: 'mine', metadata: SIGNATURE }, { type: 'thinking', thinking: 'foreign', metadata: { anthropic: { signature: 'x' } } }, text('ok')]), go]);
  expect(model?.parts).toEqual([{ text: 'mine', thought: true, thoughtSignature: 's1xx' }, { text: 'ok' }]);
});

test('C041 pictures of tools stand in their results from Gemini 3 on, before it behind all of them', () => {
  const messages = [go, msg('ASSISTANT', [use('a'), use('b'), done('a', [text('see'), picture]), done('b')])];
  const inline = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
  expect(contentsOf(messages)[2]?.parts).toEqual([
    { functionResponse: { name: 'get', response: { output: 'see\n[image/png, attached]' }, parts: [inline] } },
    { functionResponse: { name: 'get', response: { output: 'r' } } },
  ]);
  expect(contentsOf(messages, SECOND)[2]?.parts).toEqual([
    { functionResponse: { name: 'get', response: { output: 'see\n[image/png, shown below as get#1]' } } },
    { functionResponse: { name: 'get', response: { output: 'r' } } },
    { text: 'get#1:' },
    inline,
  ]);
});

test('C030 C046 an open call is answered, and what failed is an error', () => {
  const [, , answers] = contentsOf([go, msg('ASSISTANT', [use('a', { content: '{"city": "Lis', input: {} }), use('b'), done('b', [text('no')], { state: 'error' })]), go]);
  expect(answers?.parts).toMatchObject([{ functionResponse: { response: { error: expect.stringContaining('interrupted') as unknown } } }, { functionResponse: { response: { error: 'no' } } }, { text: 'go' }]);
});

test('C043 a system message in the middle is said there, marked; Gemma has it in front', () => {
  const messages = [msg('SYSTEM', [text('one')]), msg('SYSTEM', [text('two')]), go, msg('ASSISTANT', [text('ok')]), msg('SYSTEM', [text('late')]), go];
  expect(wireOf(messages)).toEqual({
    systemInstruction: { parts: [{ text: 'one' }, { text: 'two' }] },
    contents: [{ role: 'user', parts: [{ text: 'go' }] }, { role: 'model', parts: [{ text: 'ok' }] }, { role: 'user', parts: [{ text: '<system>\nlate\n</system>' }, { text: 'go' }] }],
  });
  expect(new GeminiChatFormatter({ lateSystem: (late) => `NB: ${late}` }).format(messages, { tools: undefined, modelName: THIRD }).contents.at(-1)?.parts[0]).toEqual({ text: 'NB: late' });
  const gemma = wireOf(messages, 'gemma-3-27b-it');
  expect([gemma.systemInstruction, gemma.contents[0]?.parts]).toEqual([undefined, [{ text: '<system>\none\n</system>' }, { text: '<system>\ntwo\n</system>' }, { text: 'go' }]]);
});

test('media go as bytes or as an address, what Gemini cannot take as a note', () => {
  const data = (source: object): ContentBlock => ({ type: 'data', source } as ContentBlock);
  const [user] = contentsOf([msg('USER', [
    data({ type: 'base64', data: 'AAAA', mediaType: 'audio/wav' }), data({ type: 'url', url: 'data:application/pdf;base64,AAAA' }), data({ type: 'url', url: 'https://youtu.be/x', mediaType: 'video/mp4' }),
    data({ type: 'url', url: 'gs://b/a.png' }), data({ type: 'base64', data: 'AAAA', mediaType: 'application/zip' }), data({ type: 'base64', data: '', mediaType: 'image/png' }),
  ])]);
  expect(user?.parts).toEqual([
    { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
    { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
    { fileData: { mimeType: 'video/mp4', fileUri: 'https://youtu.be/x' } },
    { fileData: { mimeType: 'image/png', fileUri: 'gs://b/a.png' } },
    { text: '[application/zip, not shown: this model cannot take it]' },
    { text: '[image/png, not shown: this model cannot take it]' },
  ]);
});

test('S0-018 an old media block gives the bytes of the new one', () => {
  const source = { type: 'base64', data: 'AAAA', mediaType: 'image/png' } as const;
  expect(contentsOf([msg('USER', [{ type: 'image', source }])])).toEqual(contentsOf([msg('USER', [{ type: 'data', source }])]));
});

test('a name begins with a letter, and is itself again on the way back', () => {
  const tools = [{ name: '1a', description: '', inputSchema: {} }, { name: '_1a', description: '', inputSchema: {} }];
  const wire = new GeminiChatFormatter().format([go, msg('ASSISTANT', [use('x', { name: '1a' }), done('x')])], { tools, modelName: SECOND });
  expect(wire.contents.slice(1)).toMatchObject([{ parts: [{ functionCall: { name: '_1_1a' } }] }, { parts: [{ functionResponse: { name: '_1_1a' } }] }]);
});

test('C024 C027 C029 ids that come twice stay apart, results come in call order, special keys are keys', () => {
  const special = JSON.parse('{"__proto__":{"admin":true},"constructor":1}') as ToolUseBlock['input'];
  const reply = msg('ASSISTANT', [use('x', { call: 1, input: special, content: null }), use('x', { call: 1 }), use('y', { call: 1 }), done('y', [text('three')]), done('x', [text('one')]), done('x', [text('two')]), use('x', { call: 2 }), done('x', [text('four')])]);
  const [, model, ...rest] = contentsOf([go, reply], SECOND);
  expect(JSON.stringify(model?.parts[0])).toContain('"args":{"__proto__":{"admin":true},"constructor":1}');
  expect(JSON.stringify(rest).match(/one|two|three|four/g)).toEqual(['one', 'two', 'three', 'four']);
});

test('an id goes back only where Gemini gave one', () => {
  const [, model, user] = contentsOf([go, msg('ASSISTANT', [use('own', { metadata: { gemini: { model: SECOND, hasId: true } } }), use('ours'), done('own'), done('ours')])], SECOND);
  expect([model?.parts, user?.parts]).toMatchObject([[{ functionCall: { id: 'own' } }, {}], [{ functionResponse: { id: 'own' } }, {}]]);
  expect(JSON.stringify([model, user])).not.toContain('ours');
});

const bodyOf = (formatter: GeminiChatFormatter, messages: readonly Msg[], modelName: string): string =>
  requestText({ messages, tools: GENERATED_TOOLS, toolChoice: 'auto' }, { modelName, wire: formatter.format(messages, { tools: GENERATED_TOOLS, modelName }) });

for (const modelName of [THIRD, SECOND, 'gemma-3-27b-it']) {
  test(`I5 S4-046 C032 whatever the history, ${modelName} is asked something it takes, by turns, and the history stays`, () => {
    fc.assert(
      fc.property(generatedHistory, (messages) => {
        const before = JSON.stringify(messages);
        const body = JSON.parse(bodyOf(new GeminiChatFormatter(), messages, modelName)) as GeminiWire;
        expect(validateGeminiRequest(body, { modelName })).toEqual([]);
        expect(body.contents.some((content, at) => content.role === body.contents[at - 1]?.role)).toBe(false);
        expect(JSON.stringify(body)).not.toMatch(/sig-1|opaque-1|"enc"|rs_1/);
        expect(JSON.stringify(messages)).toBe(before);
      }),
      { numRuns: 500 },
    );
  });
}

test('a formatter used before, for another model too, gives what a new one gives', () => {
  const used = new GeminiChatFormatter();
  fc.assert(
    fc.property(generatedHistory, fc.array(fc.nat(), { maxLength: 4 }), (messages, at) => {
      for (const n of at) used.format(messages.slice(0, n % (messages.length + 1)), { tools: GENERATED_TOOLS, modelName: n % 2 === 0 ? THIRD : SECOND });
      expect(bodyOf(used, messages, THIRD)).toBe(bodyOf(new GeminiChatFormatter(), messages, THIRD));
    }),
    { numRuns: 300 },
  );
});

test('I11 the request up to the last model call is a byte-equal prefix of the next one', () => {
  fc.assert(
    fc.property(growingHistory, (histories) => {
      const formatter = new GeminiChatFormatter();
      const bodies = histories.map((messages) => bodyOf(formatter, messages, THIRD));
      bodies.forEach((body, at) => {
        const { contents } = JSON.parse(body) as GeminiWire;
        const upTo = body.slice(0, body.lastIndexOf(JSON.stringify(contents.at(-1))) - 1); // the last turn of the user may still grow
        expect(bodies[at + 1]?.startsWith(upTo) ?? true).toBe(true);
      });
    }),
    { numRuns: 300 },
  );
});
