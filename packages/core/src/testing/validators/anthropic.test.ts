import { expect, test } from 'vitest';
import { validateAnthropicRequest } from './anthropic.ts';

type Json = { [name: string]: any };

const sound = (): Json => ({
  model: 'claude-x',
  max_tokens: 4096,
  stream: true,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  tools: [{ name: 'get_weather', description: 'd', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  thinking: { type: 'enabled', budget_tokens: 2000 },
  output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false } } },
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'hi' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }, { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }, title: 't' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: '', signature: 's' },
        { type: 'redacted_thinking', data: 'r' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'a', name: 'get_weather', input: {} },
        { type: 'tool_use', id: 'b', name: 'get_weather', input: { city: 'x' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'rain' }, { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'image', source: { type: 'url', url: 'https://x/y.png' } }], is_error: true }, { type: 'text', text: 'go on', cache_control: { type: 'ephemeral' } }] },
  ],
});

/** What is wrong, and how to make it so. */
const broken: Readonly<Record<string, (body: Json) => unknown>> = {
  'no model': (body) => delete body['model'],
  'no max_tokens': (body) => delete body['max_tokens'],
  'max_tokens of 0': (body) => (body['max_tokens'] = 0),
  'an unknown member': (body) => (body['seed'] = 1),
  'temperature above 1': (body) => ((body['temperature'] = 1.5), delete body['thinking']),
  'temperature beside top_p': (body) => ((body['temperature'] = 1), (body['top_p'] = 1), delete body['thinking']),
  'temperature while thinking': (body) => (body['temperature'] = 1),
  'top_k while thinking': (body) => (body['top_k'] = 3),
  'a small top_p while thinking': (body) => (body['top_p'] = 0.5),
  'a budget below 1024': (body) => (body['thinking'].budget_tokens = 100),
  'a budget that fills max_tokens': (body) => (body['thinking'].budget_tokens = 4096),
  'a budget with adaptive thinking': (body) => (body['thinking'].type = 'adaptive'),
  'a forced tool while thinking': (body) => (body['tool_choice'] = { type: 'any' }),
  'a round without its thinking while thinking': (body) => body['messages'][1].content.splice(0, 2),
  'an unknown effort': (body) => (body['output_config'].effort = 'minimal'),
  'an open object in the output schema': (body) => delete body['output_config'].format.schema.additionalProperties,
  'a limit in the output schema': (body) => (body['output_config'].format.schema.properties.n.minimum = 1),
  'an empty list of tools': (body) => (body['tools'] = []),
  'a choice without tools': (body) => delete body['tools'],
  'a tool name with a dot': (body) => (body['tools'][0].name = 'a.b'),
  'a tool name of 65 characters': (body) => (body['tools'][0].name = 'a'.repeat(65)),
  'two tools of one name': (body) => body['tools'].push(body['tools'][0]),
  'a tool schema without type': (body) => delete body['tools'][0].input_schema.type,
  'a choice at the root of a tool schema': (body) => (body['tools'][0].input_schema.anyOf = []),
  'a tool as OpenAI writes it': (body) => (body['tools'][0] = { type: 'function', function: { name: 'x' } }),
  'a choice of a tool that is not there': (body) => ((body['tool_choice'] = { type: 'tool', name: 'x' }), delete body['thinking']),
  'a choice as a word': (body) => (body['tool_choice'] = 'auto'),
  'a blank system prompt': (body) => (body['system'] = ' '),
  'an empty system list': (body) => (body['system'] = []),
  'no messages': (body) => (body['messages'] = []),
  'a system message': (body) => body['messages'].splice(1, 0, { role: 'system', content: 'x' }),
  'a tool message': (body) => body['messages'].push({ role: 'tool', content: 'x' }),
  'the assistant first': (body) => body['messages'].unshift({ role: 'assistant', content: 'x' }),
  'the assistant last': (body) => body['messages'].push({ role: 'assistant', content: 'x' }),
  'two user messages in a row': (body) => body['messages'].push({ role: 'user', content: 'x' }),
  'a name on a message': (body) => (body['messages'][0].name = 'alice'),
  'empty text': (body) => (body['messages'][0].content[0].text = ''),
  'blank text': (body) => (body['messages'][0].content[0].text = ' \n'),
  'empty content': (body) => (body['messages'][0].content = []),
  'a content of null': (body) => (body['messages'][1].content = null),
  'half a surrogate': (body) => (body['messages'][0].content[0].text = 'x\ud83d'),
  'thinking without a signature': (body) => delete body['messages'][1].content[0].signature,
  'thinking with foreign members': (body) => (body['messages'][1].content[0].id = 'rs_1'),
  'redacted thinking without data': (body) => delete body['messages'][1].content[1].data,
  'thinking at the end of a message': (body) => body['messages'][1].content.push({ type: 'thinking', thinking: 'x', signature: 's' }),
  'thinking of the user': (body) => body['messages'][0].content.push({ type: 'thinking', thinking: 'x', signature: 's' }),
  'a picture of the assistant': (body) => body['messages'][1].content.push(body['messages'][0].content[1]),
  'arguments as text': (body) => (body['messages'][1].content[3].input = '{}'),
  'a call id with a colon': (body) => ((body['messages'][1].content[3].id = 'f:0'), (body['messages'][2].content[0].tool_use_id = 'f:0')),
  'two calls of one id': (body) => (body['messages'][1].content[4].id = 'a'),
  'a call without a name': (body) => (body['messages'][1].content[3].name = ''),
  'a call without a result': (body) => body['messages'][2].content.splice(1, 1),
  'a result without a call': (body) => body['messages'][1].content.pop(),
  'two results of one call': (body) => body['messages'][2].content.splice(1, 0, body['messages'][2].content[0]),
  'a result behind text': (body) => body['messages'][2].content.reverse(),
  'a result one message too late': (body) => body['messages'].splice(2, 0, { role: 'user', content: 'x' }, { role: 'assistant', content: 'y' }),
  'a blank result': (body) => (body['messages'][2].content[0].content = ' '),
  'a call in a result': (body) => (body['messages'][2].content[1].content = [body['messages'][1].content[3]]),
  'is_error as text': (body) => (body['messages'][2].content[0].is_error = 'yes'),
  'a picture of a wrong type': (body) => (body['messages'][0].content[1].source.media_type = 'image/bmp'),
  'a data URL as base64': (body) => (body['messages'][0].content[1].source.data = 'data:image/png;base64,AAAA'),
  'an empty picture': (body) => (body['messages'][0].content[1].source.data = ''),
  'a picture at a file address': (body) => (body['messages'][2].content[1].content[0].source.url = 'file:///x.png'),
  'a picture as OpenAI writes it': (body) => (body['messages'][0].content[1] = { type: 'image_url', image_url: { url: 'https://x/y.png' } }),
  'sound': (body) => body['messages'][0].content.push({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
  'a document that is no PDF': (body) => (body['messages'][0].content[2].source.media_type = 'application/zip'),
  'a blank document': (body) => (body['messages'][0].content[2].source = { type: 'text', media_type: 'text/plain', data: ' ' }),
  '101 pictures': (body) => body['messages'][0].content.push(...Array.from({ length: 100 }, () => body['messages'][0].content[1])),
  'five cache marks': (body) => ((body['messages'][0].content = ['1', '2', '3', '4'].map((text) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } }))), 0),
  'a cache mark on thinking': (body) => (body['messages'][1].content[0].cache_control = { type: 'ephemeral' }),
  'a cache mark of an unknown time': (body) => (body['messages'][2].content[2].cache_control.ttl = '2h'),
  'a long cache mark behind a short one': (body) => ((body['system'][0].cache_control = { type: 'ephemeral' }), (body['messages'][2].content[2].cache_control.ttl = '1h')),
};

test('a sound request breaks no rule', () => {
  expect(validateAnthropicRequest(sound())).toEqual([]);
  expect(validateAnthropicRequest({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] })).toEqual([]);
});

test(`each of ${Object.keys(broken).length} broken requests breaks a rule`, () => {
  expect(Object.keys(broken).length).toBeGreaterThanOrEqual(40);
  const passed = Object.entries(broken).filter(([, damage]) => {
    const body = sound();
    damage(body);
    return validateAnthropicRequest(body).length === 0;
  });
  expect(passed.map(([name]) => name)).toEqual([]);
  expect([validateAnthropicRequest(null), validateAnthropicRequest('x'), validateAnthropicRequest([])].every((list) => list.length > 0)).toBe(true);
});
