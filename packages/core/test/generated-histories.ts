import fc from 'fast-check';
import type { ContentBlock, DataBlock, MsgData, Role, ToolResultBlock, ToolUseBlock } from '../src/message/index.ts';
import { Msg } from '../src/message/index.ts';
import type { ToolSchema } from '../src/model/index.ts';

/** Tools of the requests, some with names no provider takes, some with schemas few do. */
export const GENERATED_TOOLS: readonly ToolSchema[] = [
  { name: 'get_weather', description: 'Weather', inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
  { name: 'ns.read:file', description: '', inputSchema: { type: 'object', properties: { path: { type: 'string', minLength: 1 }, mode: { anyOf: [{ type: 'string' }, { type: 'null' }] } } } },
  { name: '查询', description: '', inputSchema: {} },
  { name: 'n'.repeat(80), description: 'long', inputSchema: { type: 'object', $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } }, properties: { n: { $ref: '#/$defs/n' } } } },
];

const BASE64 = 'iVBORw0KGgo=';
const word = fc.constantFrom('hello', 'ok', '', ' ', '\n\t ', 'done ', '数据', '🟢', 'x\ud83d', '\udfe2', '</history>', 'a'.repeat(300));
const id = fc.constantFrom('a', 'b', 'call_1', 'f:0', 'functions.name:0', '', 'toolu_01', '__proto__', 'é 1', 'x'.repeat(90), '\ud83d');
const toolName = fc.constantFrom('get_weather', 'ns.read:file', '查询', 'no_such_tool', 'bad name!{}', '', 'n'.repeat(80));
const speaker = fc.constantFrom(null, '', 'alice', 'Alice B', '数据 分析.师', 'x'.repeat(80));
/** What any provider may have left on a block, whole and damaged. */
const privateData = fc.constantFrom<Record<string, never>>(
  ...([
    {},
    { anthropic: { signature: 'sig-1' } },
    { anthropic: { signature: '' } },
    { anthropic: { signature: 7 } },
    { anthropic: { redacted: 'opaque-1' } },
    { anthropic: 'damaged' },
    { gemini: { thoughtSignature: 'c2ln' } },
    { gemini: null },
    { openai: { id: 'rs_1', encrypted_content: 'enc' } },
    { openai: { id: 'rs_2' } },
    { openai: { extra_content: { google: { thought_signature: 'c2ln' } } } },
    { openai: [] },
    { deepseek: { reasoning: true } },
    { _cache_control: true },
    { _cache_control: { type: 'ephemeral', ttl: '1h' } },
    { _cache_control: 'nonsense' },
    { signature: 'bare' },
  ] as unknown as Record<string, never>[]),
);
const call = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined });
const withCall = (block: ContentBlock, number: number | undefined): ContentBlock => (number === undefined ? block : ({ ...block, call: number } as ContentBlock));

const source = fc.constantFrom<DataBlock['source']>(
  { type: 'url', url: 'https://example.com/a.png' },
  { type: 'url', url: 'https://example.com/noending' },
  { type: 'url', url: 'https://example.com/film.mp4' },
  { type: 'url', url: 'https://example.com/sound.wav' },
  { type: 'url', url: 'https://example.com/paper.pdf', mediaType: 'application/pdf' },
  { type: 'url', url: `data:image/png;base64,${BASE64}` },
  { type: 'url', url: 'data:text/plain,plain' },
  { type: 'url', url: 'file:///etc/passwd' },
  { type: 'url', url: '' },
  { type: 'url', url: 'no address' },
  { type: 'base64', data: BASE64, mediaType: 'image/png' },
  { type: 'base64', data: BASE64, mediaType: 'IMAGE/JPEG' },
  { type: 'base64', data: BASE64, mediaType: 'image/bmp' },
  { type: 'base64', data: BASE64, mediaType: 'audio/wav' },
  { type: 'base64', data: BASE64, mediaType: 'audio/mpeg' },
  { type: 'base64', data: BASE64, mediaType: 'audio/ogg' },
  { type: 'base64', data: BASE64, mediaType: 'video/mp4' },
  { type: 'base64', data: BASE64, mediaType: 'application/pdf' },
  { type: 'base64', data: 'aGVsbG8=', mediaType: 'text/plain' },
  { type: 'base64', data: BASE64, mediaType: '' },
  { type: 'base64', data: '', mediaType: 'image/png' },
);
const media: fc.Arbitrary<ContentBlock> = fc.tuple(fc.constantFrom('data', 'image', 'audio', 'video'), source, privateData, fc.constantFrom(undefined, 'a b/ü.pdf', '')).map(
  ([type, from, metadata, name]): ContentBlock =>
    type === 'data' ? { type: 'data', source: from, metadata, ...(name === undefined ? {} : { name }) } : ({ type, source: from } as ContentBlock),
);
const text: fc.Arbitrary<ContentBlock> = fc.tuple(word, privateData, call).map(([value, metadata, number]) => withCall({ type: 'text', text: value, metadata }, number));
/** Mostly as some provider left it. */
const thoughtData = fc.oneof(privateData, fc.constantFrom<Record<string, never>>(...([{ anthropic: { signature: 'sig-2' } }, { anthropic: { redacted: 'opaque-2' } }, { gemini: { thoughtSignature: 'c2ln' } }, { openai: { id: 'rs_3', encrypted_content: 'enc' } }] as unknown as Record<string, never>[])));
const thinking: fc.Arbitrary<ContentBlock> = fc.tuple(word, thoughtData, call).map(([value, metadata, number]) => withCall({ type: 'thinking', thinking: value, metadata }, number));
const toolUse: fc.Arbitrary<ContentBlock> = fc
  .record({
    id,
    name: toolName,
    content: fc.constantFrom(null, '', '{}', '{ "city": "Lisbon" }', '{"city":"Lis', 'null', '[1]', '{"t":"\\ud83d"}', '{"__proto__":{"x":1}}'),
    input: fc.constantFrom({}, { city: 'Lisbon' }, { t: '\ud83d' }, { nested: { list: [1, null] } }),
    state: fc.constantFrom('pending', 'asking', 'allowed', 'submitted', 'finished'),
    metadata: privateData,
    call,
  })
  .map(({ call: number, ...rest }) => withCall({ type: 'tool_use', ...rest } as ToolUseBlock, number));
const toolResult: fc.Arbitrary<ContentBlock> = fc
  .record({
    id,
    name: toolName,
    state: fc.constantFrom('success', 'error', 'interrupted', 'denied', 'running'),
    output: fc.array(fc.oneof({ weight: 3, arbitrary: text }, media), { maxLength: 3 }),
    metadata: privateData,
    call,
  })
  .map(({ call: number, ...rest }) => withCall({ type: 'tool_result', ...rest } as ToolResultBlock, number));
const hint: fc.Arbitrary<ContentBlock> = fc
  .tuple(fc.oneof(word, fc.array(fc.oneof(text, media.filter((block) => block.type === 'data')), { maxLength: 2 })), speaker)
  .map(([said, from]) => ({ type: 'hint', id: 'h', hint: said, source: from }) as ContentBlock);

/** A call and its result, as a tidy reply has them; the generator damages the rest. */
const answered: fc.Arbitrary<readonly ContentBlock[]> = fc.tuple(toolUse, toolResult).map(([use, result]) => (use.type === 'tool_use' ? [use, { ...result, id: use.id } as ContentBlock] : []));

/** A model call as a provider that thinks leaves it: thinking with its private data, then calls with their results. */
const thoughtful: fc.Arbitrary<readonly ContentBlock[]> = fc
  .tuple(thinking, fc.array(answered, { minLength: 1, maxLength: 2 }), fc.integer({ min: 1, max: 4 }))
  .map(([thought, calls, number]) => [thought, ...calls.flat()].map((block) => withCall(block, number)));

const message = (role: Role, content: fc.Arbitrary<readonly ContentBlock[]>): fc.Arbitrary<Msg> =>
  fc.tuple(content, speaker).map(([blocks, name]) => Msg.from({ id: 'm', role, name, content: blocks, metadata: {}, timestamp: null, usage: null } satisfies MsgData));

const one = (arbitrary: fc.Arbitrary<ContentBlock>): fc.Arbitrary<readonly ContentBlock[]> => arbitrary.map((block) => [block]);
const several = (arbitrary: fc.Arbitrary<readonly ContentBlock[]>, maxLength: number): fc.Arbitrary<readonly ContentBlock[]> => fc.array(arbitrary, { maxLength }).map((parts) => parts.flat());

/** Any history a store may hold, tidy or damaged: roles, blocks and results in any order, private data of any provider, blank and broken text. */
export const generatedHistory: fc.Arbitrary<readonly Msg[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: message('USER', several(fc.oneof(one(text), one(media)), 3)) },
    { weight: 6, arbitrary: message('ASSISTANT', several(fc.oneof(one(text), one(thinking), one(toolUse), one(toolResult), one(hint), one(media), answered, thoughtful), 6)) },
    { weight: 1, arbitrary: message('SYSTEM', several(fc.oneof(one(text), one(toolResult)), 2)) },
    { weight: 1, arbitrary: message('TOOL', several(one(toolResult), 2)) },
  ),
  { maxLength: 7 },
);

/** A tidy conversation without cache marks (which move on) that grows by one model call at a time: each list is the history a request was made of, the last one the longest. */
export const growingHistory: fc.Arbitrary<readonly (readonly Msg[])[]> = fc
  .tuple(
    fc.array(fc.tuple(one(text), several(fc.oneof(one(thinking), one(text)), 2), fc.array(answered, { maxLength: 2 })), { minLength: 2, maxLength: 5 }),
    fc.boolean(),
  )
  .map(([rounds, hasSystem]) => {
    const said: Msg[] = hasSystem ? [plain('SYSTEM', [{ type: 'text', text: 'Be brief.' }])] : [];
    const histories: (readonly Msg[])[] = [];
    rounds.forEach(([question, answer, calls], at) => {
      said.push(plain('USER', question.map(unmarked)));
      histories.push([...said]);
      const reply = [...answer, ...calls.flat()].map((block) => ({ ...unmarked(block), call: 1 }) as ContentBlock);
      if (calls.length > 0) histories.push([...said, plain('ASSISTANT', reply)]);
      said.push(plain('ASSISTANT', [...reply, { type: 'text', text: `answer ${at}`, call: calls.length > 0 ? 2 : 1 }]));
    });
    return histories;
  });

function unmarked(block: ContentBlock): ContentBlock {
  if (!('metadata' in block) || block.metadata?.['_cache_control'] === undefined) return block;
  const { _cache_control: _mark, ...metadata } = block.metadata;
  return { ...block, metadata } as ContentBlock;
}

function plain(role: Role, content: readonly ContentBlock[]): Msg {
  return Msg.from({ id: 'm', role, name: null, content, metadata: {}, timestamp: null, usage: null });
}
