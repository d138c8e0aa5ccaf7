import { expect, test } from 'vitest';
import { z } from 'zod';
import { AgentScopeError } from '../error/index.ts';
import { foldEvents } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { Msg } from '../message/index.ts';
import { withFallback, withRetry } from '../model/index.ts';
import type { ModelRequest } from '../model/index.ts';
import { toPython2 } from '../state/index.ts';
import { collect, scriptedModel } from '../testing/index.ts';
import type { ScriptedModel, ScriptedReply } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { jsonIn } from './answer-text.ts';
import type { ReActAgentOptions } from './options.ts';
import { ReActAgent } from './react-agent.ts';

const N = z.object({ n: z.int() });
const give = (n: unknown) => ({ tool: 'generate_response', input: { n } as { n: number } });
const look = defineTool({ name: 'look', description: 'Looks.', readOnly: true, execute: () => 'seven' });

function native(model: ScriptedModel): ScriptedModel {
  return Object.assign(model, { nativeStructuredOutput: true });
}
function asking(model: ScriptedModel, options: Partial<ReActAgentOptions> = {}): ReActAgent {
  return new ReActAgent({ name: 'F', model, ...options });
}
async function failure(work: Promise<unknown>): Promise<AgentScopeError> {
  const error: unknown = await work.then(() => undefined, (thrown: unknown) => thrown);
  if (!AgentScopeError.is(error)) throw new Error(`No AgentScopeError: ${String(error)}`);
  return error;
}
/** What a request says of tools and format. */
const way = ({ tools, toolChoice, responseFormat }: ModelRequest): string =>
  [tools?.map(({ name }) => name).join('+') ?? '-', typeof toolChoice === 'object' ? `!${toolChoice.tool}` : (toolChoice ?? '-'), responseFormat ? 'format' : '-'].join(' ');
const ways = ({ requests }: ScriptedModel): readonly string[] => requests.map(way);
const lastHint = ({ requests }: ScriptedModel, at: number): string => {
  const hint = requests[at]?.messages.at(-1)?.content.findLast((block) => block.type === 'hint')?.hint;
  return typeof hint === 'string' ? hint : '';
};

test('S4-017 a schema { n: number }: the reason, and the data', async () => {
  const reply = await asking(scriptedModel(give(5))).call('n?', { schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } });
  expect([reply.generateReason, reply.getStructuredData().n, reply.hasStructuredData()]).toEqual(['STRUCTURED_OUTPUT', 5, true]);
});

test('the tool way is a tool round; the data are in the metadata of AGENT_RESULT and of the message, for other languages too', async () => {
  const agent = asking(scriptedModel(give(5)));
  const events = await collect(agent.streamEvents('n?', { schema: N }));
  expect(events.map(({ type }) => type)).toEqual([
    'AGENT_START', 'MODEL_CALL_START', 'TOOL_CALL_START', 'TOOL_CALL_DELTA', 'TOOL_CALL_END', 'MODEL_CALL_END',
    'TOOL_RESULT_START', 'TOOL_RESULT_TEXT_DELTA', 'TOOL_RESULT_END', 'AGENT_RESULT', 'AGENT_END',
  ]);
  expect(events.find((event) => event.type === 'TOOL_RESULT_START')?.metadata).toEqual({ run: { decision: 'allow', by: 'structured output', effect: 'read' } });
  const result = events.find((event) => event.type === 'AGENT_RESULT')?.result as Msg;
  expect(result.metadata['_structured_output']).toEqual({ n: 5 });
  const reply = foldEvents(events);
  expect(toPython2(reply)).toMatchObject({ structured_output: { n: 5 } });
  const replayed: AgentEvent[] = [];
  for await (const { event } of agent.session().events()) replayed.push(event);
  expect(JSON.parse(JSON.stringify(replayed))).toEqual(JSON.parse(JSON.stringify(events)));
});

test('beside other tools the answer is offered, never forced; when only words come, it is forced', async () => {
  const model = scriptedModel({ tool: 'look' }, 'It is seven.', give(7));
  const reply = await asking(model, { toolkit: [look] }).call('n?', { schema: N });
  expect(reply.getStructuredData()).toEqual({ n: 7 });
  expect(ways(model)).toEqual(['look+generate_response - -', 'look+generate_response - -', 'look+generate_response !generate_response -']);
  expect(lastHint(model, 2)).toBe('Your last answer does not count. It is not the data that was asked for. Answer by calling generate_response.');
  expect(reply.getTextContent()).toBe('It is seven.');
});

test('an answer together with other calls: they run, and the reply is over', async () => {
  const ran: string[] = [];
  const note = defineTool({ name: 'note', description: '', execute: () => (ran.push('note'), 'noted') });
  const model = scriptedModel([{ tool: 'note' }, give(1), give(2)]);
  const reply = await asking(model, { toolkit: [note] }).call('n?', { schema: N });
  expect([reply.getStructuredData(), ran, model.requests.length]).toEqual([{ n: 2 }, ['note'], 1]);
});

test('without other tools the answer is forced at once', async () => {
  const model = scriptedModel(give('five'), give(5));
  const reply = await asking(model).call('n?', { schema: N });
  expect([reply.getStructuredData(), ways(model)]).toEqual([{ n: 5 }, ['generate_response !generate_response -', 'generate_response !generate_response -']]);
  const [, refused] = reply.getContentBlocks('tool_result')[0]?.output.map((block) => (block.type === 'text' ? block.text : '')).join('').split('do not fit its schema. ') ?? [];
  expect(refused).toBe('n: Invalid input: expected number, received string');
});

test('C094 a server that claims to keep to the schema: each answer is checked, what is wrong goes back, the third one fits', async () => {
  const model = native(scriptedModel('{"n":"five"}', 'Sure:\n```json\n{"n": "5"}\n```', '{"n":5,"extra":1}'));
  const reply = await asking(model).call('n?', { schema: N });
  expect([reply.getStructuredData(), model.requests.length]).toEqual([{ n: 5 }, 3]);
  expect(lastHint(model, 1)).toContain('n: Invalid input: expected number, received string');
  expect(lastHint(model, 2)).toContain('n: Invalid input: expected number, received string');
});

test('C094 never valid: a typed error that carries where and the last raw text; the reply has its end, the session goes on', async () => {
  const model = native(scriptedModel('{"n":"a"}', 'b', '{"n":"c"}', '{"n":"d"}', 'Hello.'));
  const agent = asking(model);
  const events: AgentEvent[] = [];
  const error = await failure((async () => {
    for await (const event of agent.streamEvents('n?', { schema: N })) events.push(event);
  })());
  expect([error.code, error.details]).toEqual(['agent/structured-output-invalid', { attempts: 4, paths: ['n'], text: '{"n":"d"}' }]);
  expect(error.message).toContain('in 4 tries');
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['AGENT_RESULT', 'AGENT_END']);
  const reply = foldEvents(events);
  expect([reply.hasStructuredData(), reply.metadata['agentscope_error']]).toEqual([false, { type: 'agent/structured-output-invalid', message: error.message }]);
  expect((await agent.call('hi')).getTextContent()).toBe('Hello.');
});

test('the ladder: by the provider, by the forced tool, by the offered one, in words', async () => {
  const model = native(scriptedModel('a', 'b', 'c', '{"n":5}'));
  expect((await asking(model).call('n?', { schema: N })).getStructuredData()).toEqual({ n: 5 });
  expect(ways(model)).toEqual(['- - format', 'generate_response !generate_response -', 'generate_response - -', 'generate_response none -']);
  expect(lastHint(model, 3)).toContain('It has to fit this JSON Schema: {"type":"object"');
});

test('the ladder by the tool, with others beside it; never valid is bounded there too', async () => {
  const model = scriptedModel('a', 'b', 'c', 'd');
  const error = await failure(asking(model, { toolkit: [look], structuredOutput: 'tool' }).call('n?', { schema: N }));
  expect([error.code, (error.details as { attempts: number }).attempts]).toEqual(['agent/structured-output-invalid', 4]);
  expect(ways(model)).toEqual(['look+generate_response - -', 'look+generate_response !generate_response -', 'look+generate_response - -', 'look+generate_response none -']);
});

test('the same wrong call again and again is bounded, and is no pause for being stuck; several calls in one answer are one try', async () => {
  const model = scriptedModel([give('a'), give('b')], give('a'), give('a'), give('a'));
  const error = await failure(asking(model).call('n?', { schema: N }));
  expect([error.details, model.requests.length]).toEqual([{ attempts: 4, paths: ['n'], text: '{"n":"a"}' }, 4]);
});

test('the option: the provider only, or never; a model says what it can', async () => {
  const plain = scriptedModel('x', '{"n":1}');
  expect((await asking(plain, { structuredOutput: 'native', toolkit: [look] }).call('n?', { schema: N })).getStructuredData()).toEqual({ n: 1 });
  expect(ways(plain)).toEqual(['look - format', 'look - format']);
  const able = native(scriptedModel(give(1)));
  await asking(able, { structuredOutput: 'tool' }).call('n?', { schema: N });
  expect(ways(able)).toEqual(['generate_response !generate_response -']);
  for (const [toolkit, first] of [[[], '- - format'], [[look], 'look+generate_response - -']] as const) {
    const model = Object.assign(scriptedModel('{"n":1}'), { nativeStructuredOutput: 'without-tools' as const });
    await asking(model, { toolkit }).call('n?', { schema: N });
    expect(ways(model)).toEqual([first]);
  }
  expect(() => asking(plain, { structuredOutput: 'json' as 'auto' })).toThrow('structuredOutput must be one of auto, native, tool');
});

test('a wrapped model can what the model can; of several what all of them can', () => {
  const [yes, half, no] = [native(scriptedModel()), Object.assign(scriptedModel(), { nativeStructuredOutput: 'without-tools' as const }), scriptedModel()];
  expect(withRetry(yes).nativeStructuredOutput).toBe(true);
  expect([withFallback([yes, yes]), withFallback([yes, half]), withFallback([half, no])].map((model) => model.nativeStructuredOutput)).toEqual([true, 'without-tools', false]);
});

const badRequest = (message: string) => ({ error: new AgentScopeError('model/bad-request', message, { details: { provider: 'scripted', retryable: false } }) });

test('a refused format steps down to the tool, once for the model; the refused call counts for nothing', async () => {
  const model = native(scriptedModel(badRequest('Unknown parameter: response_format'), give(1), give(2)));
  const agent = asking(model, { toolkit: [look] });
  const events = await collect(agent.streamEvents('n?', { schema: N }));
  expect(foldEvents(events).getStructuredData()).toEqual({ n: 1 });
  expect(events.flatMap((event) => (event.type === 'MODEL_CALL_START' ? [event.metadata?.['call']] : []))).toEqual([1, 1]);
  expect((await agent.call('again', { schema: N })).getStructuredData()).toEqual({ n: 2 });
  expect(ways(model)).toEqual(['look - format', 'look+generate_response - -', 'look+generate_response - -']);
});

test('a schema that one format refuses says nothing about the next schema', async () => {
  const model = native(scriptedModel(badRequest("Invalid schema for response_format 'answer'"), give(1), '{"n":2}'));
  const agent = asking(model);
  await agent.call('n?', { schema: N });
  expect((await agent.call('again', { schema: N })).getStructuredData()).toEqual({ n: 2 });
  expect(ways(model)).toEqual(['- - format', 'generate_response !generate_response -', '- - format']);
});

test('C090 a forced choice that is refused is left free from then on; prose gets a reminder; other bad requests are not swallowed', async () => {
  const refusals = ['`tool_choice` is not supported in thinking mode', 'only "auto" is supported'];
  for (const message of refusals) {
    const model = scriptedModel(badRequest(message), 'Seven, I think.', give(7), give(8));
    const agent = asking(model);
    expect((await agent.call('n?', { schema: N })).getStructuredData()).toEqual({ n: 7 });
    expect((await agent.call('n?', { schema: N })).getStructuredData()).toEqual({ n: 8 });
    expect(ways(model)).toEqual(['generate_response !generate_response -', ...Array.from({ length: 3 }, () => 'generate_response - -')]);
    expect(lastHint(model, 2)).toContain('Answer by calling generate_response.');
  }
  const other = scriptedModel(badRequest('messages.3: image too large'));
  expect((await failure(asking(other).call('n?', { schema: N }))).message).toContain('image too large');
  const late = scriptedModel([{ text: 'Well' }, badRequest('tool_choice is not supported')]);
  expect((await failure(asking(late).call('n?', { schema: N }))).code).toBe('model/bad-request');
  const nativeOnly = native(scriptedModel(badRequest('Unknown parameter: response_format')));
  expect((await failure(asking(nativeOnly, { structuredOutput: 'native' }).call('n?', { schema: N }))).code).toBe('model/bad-request');
});

test('a way that is refused in a repair takes no try away, and says nothing twice', async () => {
  const model = native(scriptedModel('a', badRequest('tool_choice: not supported'), 'b', 'c', 'd'));
  const agent = asking(model);
  expect((await failure(agent.call('n?', { schema: N }))).details).toEqual({ attempts: 4, paths: [], text: 'd' });
  expect(ways(model)).toEqual(['- - format', 'generate_response !generate_response -', 'generate_response - -', 'generate_response - -', 'generate_response none -']);
  expect((await agent.session().messages()).at(-1)?.getContentBlocks('hint')).toHaveLength(3);
});

test('a model without tools at all is asked in words from the start', async () => {
  const model = scriptedModel(badRequest('tool_choice: unknown field'), badRequest('this model has no tools: function calling is not supported; tools not supported'), '{"n":3}');
  expect((await asking(model).call('n?', { schema: N })).getStructuredData()).toEqual({ n: 3 });
  expect(ways(model).at(-1)).toBe('- - -');
  expect(lastHint(model, 2)).toContain('Answer with JSON alone');
});

test('a refusal is typed: by the filter, or in words that say so', async () => {
  const cases: readonly (readonly [boolean, ScriptedReply])[] = [
    [true, { finishReason: 'content_filter' }],
    [false, { finishReason: 'content_filter' }],
    [true, { text: 'I cannot help with that.', metadata: { refusal: true } }],
    [false, { text: 'I will not.', finishReason: 'content_filter' }],
  ];
  for (const [isNative, reply] of cases) {
    const model = isNative ? native(scriptedModel(reply)) : scriptedModel(reply);
    const agent = asking(model, { toolkit: [look] });
    const error = await failure(agent.call('n?', { schema: N }));
    expect([error.code, error.details, model.requests.length]).toEqual(['model/refused', { provider: 'scripted', retryable: false }, 1]);
    expect((await agent.session().messages()).at(-1)?.metadata['agentscope_error']).toEqual({ type: 'model/refused', message: 'The model refused to answer.' });
  }
});

test('an answer that the output limit cut off: the model is told so', async () => {
  const text = native(scriptedModel({ text: '{"n": 12', finishReason: 'length' }, give(1)));
  expect((await asking(text).call('n?', { schema: N })).getStructuredData()).toEqual({ n: 1 });
  expect(lastHint(text, 1)).toContain('It was cut off by the output limit; a shorter one is needed.');
  const call = scriptedModel({ tool: 'generate_response', arguments: '{"n": 12', finishReason: 'length' }, give(1));
  expect((await asking(call).call('n?', { schema: N })).getStructuredData()).toEqual({ n: 1 });
  expect(JSON.stringify(call.requests[1]?.messages.at(-1)?.content)).toContain('were cut off by the output limit');
});

test('an empty answer, or only thinking, is an answer that does not fit', async () => {
  const model = scriptedModel([], { thinking: 'hm' }, give(1));
  expect((await asking(model, { toolkit: [look] }).call('n?', { schema: N })).getStructuredData()).toEqual({ n: 1 });
});

test('an answer the provider paused goes on first', async () => {
  const model = native(scriptedModel({ text: 'Searching.', finishReason: 'pause' }, '{"n":1}'));
  expect([(await asking(model).call('n?', { schema: N })).getStructuredData(), ways(model)]).toEqual([{ n: 1 }, ['- - format', '- - format']]);
});

test('JSON in words counts where it fits, also where the tool was asked for', async () => {
  for (const said of ['{"n":1}', ' \n{"n":1}\n', 'Here:\n```json\n{"n":0.5}\n```\nor\n```\n{"n":1}\n```']) {
    const model = scriptedModel(said);
    expect((await asking(model, { toolkit: [look] }).call('n?', { schema: N })).getStructuredData()).toEqual({ n: 1 });
  }
});

test('no permission is needed to answer, and the model does not get the tool without a schema', async () => {
  const model = scriptedModel(give(1), give(2), 'Fine.');
  const agent = asking(model, { permission: { mode: 'dont_ask', deny: ['*'] }, onWarning: () => undefined });
  expect((await agent.call('n?', { schema: N })).getStructuredData()).toEqual({ n: 1 });
  const words = await agent.call('and in words?');
  expect([words.generateReason, words.hasStructuredData(), words.getContentBlocks('tool_result')[0]?.state]).toEqual(['MODEL_STOP', false, 'error']);
  expect(() => words.getStructuredData()).toThrow('no structured data');
  expect(ways(model)).toEqual(['generate_response !generate_response -', '- - -', '- - -']);
});

test('a tool of the same name is refused before anything is stored', async () => {
  const agent = asking(scriptedModel('{"n":1}'), { toolkit: [defineTool({ name: 'generate_response', description: '', execute: () => '' })] });
  const error = await failure(agent.call('n?', { schema: N }));
  expect([error.code, error.details, await agent.session().messages()]).toEqual(['config/invalid', { option: 'toolkit' }, []]);
  expect((await agent.with({ structuredOutput: 'native' }).call('n?', { schema: N })).getStructuredData()).toEqual({ n: 1 });
});

test('at the limit the summary may be the answer; otherwise the reason says why there is none', async () => {
  const fits = scriptedModel({ tool: 'look' }, '{"n":7}');
  const reply = await asking(fits, { toolkit: [look], maxIters: 1 }).call('n?', { schema: N });
  expect([reply.generateReason, reply.getStructuredData()]).toEqual(['MAX_ITERATIONS', { n: 7 }]);
  expect(way(fits.requests[1] as ModelRequest)).toBe('look+generate_response none -');
  expect(lastHint(fits, 1)).toMatch(/all the steps of this reply.*Answer with JSON alone/s);
  const words = await asking(scriptedModel({ tool: 'look' }, 'I did not get far.'), { toolkit: [look], maxIters: 1 }).call('n?', { schema: N });
  expect([words.generateReason, words.hasStructuredData(), words.getTextContent()]).toEqual(['MAX_ITERATIONS', false, 'I did not get far.']);
  expect(() => words.getStructuredData()).toThrow(expect.objectContaining({ code: 'message/no-structured-data', details: { generateReason: 'MAX_ITERATIONS' } }));
});

test('reminders are no steps: the last one may still be mended', async () => {
  const model = scriptedModel('Seven.', give(7));
  expect((await asking(model, { toolkit: [look], maxIters: 1 }).call('n?', { schema: N })).getStructuredData()).toEqual({ n: 7 });
});

test('a steering message before the end: one more answer, and that one counts', async () => {
  const later = defineTool({ name: 'later', description: '', readOnly: true, execute: async () => (await agent.session().steer('Make it eight.'), 'ok') });
  const model = scriptedModel([{ tool: 'later' }, give(7)], give(8));
  const agent: ReActAgent = asking(model, { toolkit: [later] });
  expect((await agent.call('n?', { schema: N })).getStructuredData()).toEqual({ n: 8 });
});

test('the same list of tools in every call of a reply', async () => {
  const model = scriptedModel({ tool: 'look' }, { tool: 'look' }, give(1));
  await asking(model, { toolkit: [look] }).call('n?', { schema: N });
  expect(new Set(model.requests.map(({ tools }) => tools)).size).toBe(1);
});

test('data of a reply that is there already: read by the schema of the call that asks', async () => {
  const message = { id: 'm1', role: 'USER' as const, name: 'user', content: [{ type: 'text' as const, text: 'n?' }], metadata: {}, timestamp: null, usage: null };
  const agent = asking(scriptedModel(give(1), 'a', 'b', 'c', 'd'));
  await agent.call(message, { schema: N });
  expect((await agent.call(message, { schema: z.object({ n: z.number().transform((n) => new Date(n)) }) })).getStructuredData()).toEqual({ n: new Date(1) });
  const error = await failure(agent.call(message, { schema: z.object({ m: z.string() }) }));
  expect([error.code, error.details]).toEqual(['agent/structured-output-invalid', { attempts: 0, paths: ['m'], text: '{"n":1}' }]);
  await failure(agent.call({ ...message, id: 'm2' }, { schema: N }));
  expect((await failure(agent.call({ ...message, id: 'm2' }, { schema: N }))).code).toBe('agent/structured-output-invalid');
});

test('C128 the usage of a reply counts each try once, also one that was refused; what was handed out does not move', async () => {
  const usage = { inputTokens: 10, outputTokens: 2 };
  const model = native(scriptedModel({ text: '{"n":"x"}', usage }, [{ ...give('y'), usage }], [{ ...give(1), usage }]));
  const agent = asking(model);
  const reply = await agent.call('n?', { schema: N });
  expect(reply.usage).toMatchObject({ inputTokens: 30, outputTokens: 6 });
  const before = JSON.stringify(reply);
  await agent.with({ model: scriptedModel('Hello.') }).call('hi');
  expect(JSON.stringify(reply)).toBe(before);
});

test('a paused reply that owes data can be closed whatever its tools are called by then', async () => {
  const ask = defineTool({ name: 'ask', description: '', checkPermission: 'ask', execute: () => '' });
  const agent = asking(scriptedModel({ tool: 'ask' }), { toolkit: [ask] });
  expect((await agent.call('n?', { schema: N })).generateReason).toBe('PERMISSION_ASKING');
  const named = agent.with({ model: scriptedModel('Hello.'), toolkit: [defineTool({ name: 'generate_response', description: '', execute: () => '' })] });
  expect((await named.call('hi')).getTextContent()).toBe('Hello.');
});

test('fences without an end cost nothing', () => {
  const text = `\`\`\`json${'\n'.repeat(200_000)}`;
  expect([jsonIn(text), jsonIn('```json\n{"a":1}\n```'), jsonIn('1'), jsonIn('')]).toEqual([[], [{ a: 1 }], [1], []]);
});
