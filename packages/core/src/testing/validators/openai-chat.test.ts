import { expect, test } from 'vitest';
import { validateOpenAIChatRequest } from './openai-chat.ts';

type Json = { [name: string]: any };

const sound = (): Json => ({
  model: 'gpt-x',
  stream: true,
  stream_options: { include_usage: true },
  temperature: 1,
  tools: [
    { type: 'function', function: { name: 'get_weather', description: 'd', parameters: { type: 'object', properties: { cities: { type: 'array', items: { type: 'string' } } } } } },
    { type: 'function', function: { name: 'strict', strict: true, parameters: { type: 'object', properties: { a: { type: ['string', 'null'] } }, required: ['a'], additionalProperties: false } } },
  ],
  tool_choice: { type: 'function', function: { name: 'get_weather' } },
  parallel_tool_calls: true,
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object', properties: {} } } },
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', name: 'alice', content: [{ type: 'text', text: 'hi' }, { type: 'image_url', image_url: { url: 'https://x/y.png' } }, { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } }] },
    { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{}' } }, { id: 'b', type: 'function', function: { name: 'get_weather', arguments: '{"x":1}' } }] },
    { role: 'tool', tool_call_id: 'a', content: 'rain' },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'sun' }] },
    { role: 'user', content: 'go on' },
  ],
});

/** What is wrong, and how to make it so. */
const broken: Readonly<Record<string, (body: Json) => unknown>> = {
  'no model': (body) => delete body['model'],
  'an unknown member': (body) => (body['system'] = 'x'),
  'stream options without a stream': (body) => (body['stream'] = false),
  'temperature above 2': (body) => (body['temperature'] = 3),
  'a negative top_p': (body) => (body['top_p'] = -1),
  'a penalty above 2': (body) => (body['presence_penalty'] = 3),
  'both length fields': (body) => (body['max_tokens'] = body['max_completion_tokens'] = 5),
  'a length of 0': (body) => (body['max_completion_tokens'] = 0),
  'a seed with a fraction': (body) => (body['seed'] = 0.5),
  'five stop words': (body) => (body['stop'] = ['1', '2', '3', '4', '5']),
  'an empty list of tools': (body) => (body['tools'] = []),
  'a choice without tools': (body) => (delete body['tools'], delete body['parallel_tool_calls']),
  'the parallel switch without tools': (body) => (delete body['tools'], delete body['tool_choice']),
  '129 tools': (body) => (body['tools'] = Array.from({ length: 129 }, (_, at) => ({ type: 'function', function: { name: `t${at}` } }))),
  'two tools of one name': (body) => (body['tools'][1].function.name = 'get_weather'),
  'a tool name with a dot': (body) => (body['tools'][0].function.name = 'a.b'),
  'a tool name of 65 characters': (body) => (body['tools'][0].function.name = 'a'.repeat(65)),
  'a tool as Anthropic writes it': (body) => (body['tools'][0] = { name: 'x', input_schema: { type: 'object' } }),
  'parameters that are no object': (body) => (body['tools'][0].function.parameters.type = 'array'),
  'a list that does not say what it holds': (body) => delete body['tools'][0].function.parameters.properties.cities.items,
  'an open object in strict mode': (body) => delete body['tools'][1].function.parameters.additionalProperties,
  'an optional property in strict mode': (body) => (body['tools'][1].function.parameters.required = []),
  'a default in strict mode': (body) => (body['tools'][1].function.parameters.properties.a.default = 'x'),
  'a choice of a tool that is not there': (body) => (body['tool_choice'].function.name = 'x'),
  'a choice as Anthropic writes it': (body) => (body['tool_choice'] = { type: 'any' }),
  'a format without a name': (body) => delete body['response_format'].json_schema.name,
  'a format with a blank in its name': (body) => (body['response_format'].json_schema.name = 'my answer'),
  'a format that is a list': (body) => (body['response_format'].json_schema.schema = { type: 'array', items: {} }),
  'an unknown format': (body) => (body['response_format'].type = 'xml'),
  'no messages': (body) => (body['messages'] = []),
  'an unknown role': (body) => (body['messages'][1].role = 'human'),
  'a name with a blank': (body) => (body['messages'][1].name = 'Alice B'),
  'a name of 65 characters': (body) => (body['messages'][1].name = 'a'.repeat(65)),
  'the assistant last': (body) => body['messages'].push({ role: 'assistant', content: 'x' }),
  'no content': (body) => delete body['messages'][2].content,
  'a content of null without calls': (body) => (body['messages'][5].content = null),
  'empty text': (body) => (body['messages'][1].content[0].text = ''),
  'blank text': (body) => (body['messages'][5].content = ' \n'),
  'no parts': (body) => (body['messages'][1].content = []),
  'half a surrogate': (body) => (body['messages'][5].content = 'x\udfe2'),
  'thinking of another server': (body) => (body['messages'][2].reasoning_content = 'x'),
  'a thinking part': (body) => (body['messages'][2].content = [{ type: 'thinking', thinking: 'x' }]),
  'an empty list of calls': (body) => ((body['messages'][2].tool_calls = []), body['messages'].splice(3, 2)),
  'a call without an id': (body) => (body['messages'][2].tool_calls[0].id = ''),
  'a call id of 41 characters': (body) => (body['messages'][2].tool_calls[0].id = body['messages'][3].tool_call_id = 'a'.repeat(41)),
  'an illegal name in a call': (body) => (body['messages'][2].tool_calls[0].function.name = 'bad name!{}'),
  'arguments as an object': (body) => (body['messages'][2].tool_calls[0].function.arguments = {}),
  'arguments that were cut off': (body) => (body['messages'][2].tool_calls[0].function.arguments = '{"x'),
  'empty arguments': (body) => (body['messages'][2].tool_calls[0].function.arguments = ''),
  'arguments that are a list': (body) => (body['messages'][2].tool_calls[0].function.arguments = '[]'),
  'a call without a result': (body) => body['messages'].splice(4, 1),
  'a result without a call': (body) => body['messages'].push({ role: 'tool', tool_call_id: 'c', content: 'x' }, { role: 'user', content: 'y' }),
  'two results of one call': (body) => body['messages'].splice(4, 0, body['messages'][3]),
  'a user between call and result': (body) => body['messages'].splice(4, 0, { role: 'user', content: 'x' }),
  'two calls of one id': (body) => (body['messages'][2].tool_calls[1].id = 'a'),
  'a result without an id': (body) => delete body['messages'][3].tool_call_id,
  'a picture in a result': (body) => (body['messages'][4].content = [body['messages'][1].content[1]]),
  'a picture of the assistant': (body) => (body['messages'][2].content = [body['messages'][1].content[1]]),
  'a picture in the system prompt': (body) => (body['messages'][0].content = [body['messages'][1].content[1]]),
  'a picture at a file address': (body) => (body['messages'][1].content[1].image_url.url = 'file:///x.png'),
  'a picture of a wrong type': (body) => (body['messages'][1].content[1].image_url.url = 'data:image/bmp;base64,AAAA'),
  'a picture that is bare base64': (body) => (body['messages'][1].content[1].image_url.url = 'AAAA'),
  'sound at an address': (body) => (body['messages'][1].content[2].input_audio.data = 'https://x/y.wav'),
  'sound of a wrong format': (body) => (body['messages'][1].content[2].input_audio.format = 'ogg'),
  'a file at an address': (body) => (body['messages'][1].content[3].file.file_data = 'https://x/y.pdf'),
  'a file that is no PDF': (body) => (body['messages'][1].content[3].file.file_data = 'data:text/plain;base64,AAAA'),
  'a file without a name': (body) => delete body['messages'][1].content[3].file.filename,
  'a film': (body) => (body['messages'][1].content[1] = { type: 'video_url', video_url: { url: 'https://x/y.mp4' } }),
};

test('a sound request breaks no rule', () => {
  expect(validateOpenAIChatRequest(sound())).toEqual([]);
});

test(`each of ${Object.keys(broken).length} broken requests breaks a rule`, () => {
  expect(Object.keys(broken).length).toBeGreaterThanOrEqual(40);
  const passed = Object.entries(broken).filter(([, damage]) => {
    const body = sound();
    damage(body);
    return validateOpenAIChatRequest(body).length === 0;
  });
  expect(passed.map(([name]) => name)).toEqual([]);
  expect([validateOpenAIChatRequest(undefined), validateOpenAIChatRequest(7)].every((list) => list.length > 0)).toBe(true);
});
