import { describe, expect, test } from 'vitest';
import { validateDashScopeCompatibleRequest } from './dashscope-compatible.ts';
import { validateDeepSeekRequest } from './deepseek.ts';
import { validateGLMRequest } from './glm.ts';
import { validateKimiRequest } from './kimi.ts';
import { validateMiniMaxRequest } from './minimax.ts';
import type { RequestValidator } from './shared.ts';
import { validateXAIRequest } from './xai.ts';

type Json = { [name: string]: any };
type Damage = (body: Json) => unknown;

interface Subject {
  readonly validate: RequestValidator;
  /** What a sound request of this server has beside what all have. */
  readonly sound: (body: Json) => unknown;
  /** What this server refuses, and others may take. */
  readonly own: Readonly<Record<string, Damage>>;
}

const soundBody = (): Json => ({
  model: 'm',
  stream: true,
  tools: [
    { type: 'function', function: { name: 'get_weather', description: 'd', parameters: { type: 'object', properties: { cities: { type: 'array', items: { type: 'string' } } } } } },
    { type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } },
  ],
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: '', tool_calls: [{ id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{}' } }, { id: 'b', type: 'function', function: { name: 'now', arguments: '{"x":1}' } }] },
    { role: 'tool', tool_call_id: 'a', content: 'rain' },
    { role: 'tool', tool_call_id: 'b', content: 'noon' },
    { role: 'assistant', content: 'It rains.' },
    { role: 'user', content: 'go on' },
  ],
});

const brokenAnywhere: Readonly<Record<string, Damage>> = {
  'no model': (body) => delete body['model'],
  'an unknown member': (body) => (body['system'] = 'x'),
  'a stream that is a text': (body) => (body['stream'] = 'yes'),
  'stream options without a stream': (body) => ((body['stream'] = false), (body['stream_options'] = {})),
  'an empty list of tools': (body) => (body['tools'] = []),
  'a choice without tools': (body) => (delete body['tools'], (body['tool_choice'] = 'auto')),
  'the parallel switch without tools': (body) => (delete body['tools'], (body['parallel_tool_calls'] = true)),
  '129 tools': (body) => (body['tools'] = Array.from({ length: 129 }, (_, at) => ({ type: 'function', function: { name: `t${at}`, parameters: { type: 'object' } } }))),
  'two tools of one name': (body) => (body['tools'][1].function.name = 'get_weather'),
  'a tool name with a dot': (body) => (body['tools'][0].function.name = 'a.b'),
  'a tool name of 65 characters': (body) => (body['tools'][0].function.name = 'a'.repeat(65)),
  'a tool as Anthropic writes it': (body) => (body['tools'][0] = { name: 'x', input_schema: { type: 'object' } }),
  'a strict tool': (body) => (body['tools'][0].function.strict = true),
  'parameters that are no object': (body) => (body['tools'][0].function.parameters.type = 'array'),
  'a list that does not say what it holds': (body) => delete body['tools'][0].function.parameters.properties.cities.items,
  'a choice as Anthropic writes it': (body) => (body['tool_choice'] = { type: 'any' }),
  'a choice of a tool that is not there': (body) => (body['tool_choice'] = { type: 'function', function: { name: 'x' } }),
  'an unknown format': (body) => (body['response_format'] = { type: 'xml' }),
  'top_k': (body) => (body['top_k'] = 4),
  'a budget': (body) => (body['thinking_budget'] = 5),
  'no messages': (body) => (body['messages'] = []),
  'no user': (body) => (body['messages'] = [{ role: 'system', content: 'x' }]),
  'an unknown role': (body) => (body['messages'][1].role = 'human'),
  'the role developer': (body) => (body['messages'][0].role = 'developer'),
  'a name with a blank': (body) => (body['messages'][1].name = 'Alice B'),
  'the assistant last': (body) => body['messages'].pop(),
  'no content': (body) => delete body['messages'][2].content,
  'a content of null without calls': (body) => (body['messages'][5].content = null),
  'empty text': (body) => (body['messages'][5].content = ''),
  'blank text': (body) => (body['messages'][6].content = ' \n'),
  'no parts': (body) => (body['messages'][1].content = []),
  'half a surrogate': (body) => (body['messages'][6].content = 'x\udfe2'),
  'thinking as a text part': (body) => (body['messages'][5].content = [{ type: 'thinking', thinking: 'x' }]),
  'thinking under another name': (body) => (body['messages'][5].reasoning = 'x'),
  'an empty list of calls': (body) => ((body['messages'][2].tool_calls = []), body['messages'].splice(3, 2)),
  'a call without an id': (body) => (body['messages'][2].tool_calls[0].id = ''),
  'an illegal name in a call': (body) => (body['messages'][2].tool_calls[0].function.name = 'bad name!{}'),
  'arguments as an object': (body) => (body['messages'][2].tool_calls[0].function.arguments = {}),
  'arguments that were cut off': (body) => (body['messages'][2].tool_calls[0].function.arguments = '{"x'),
  'empty arguments': (body) => (body['messages'][2].tool_calls[0].function.arguments = ''),
  'a call without a result': (body) => body['messages'].splice(4, 1),
  'a result without a call': (body) => body['messages'].push({ role: 'tool', tool_call_id: 'c', content: 'x' }, { role: 'user', content: 'y' }),
  'two results of one call': (body) => body['messages'].splice(4, 0, body['messages'][3]),
  'a user between call and result': (body) => body['messages'].splice(4, 0, { role: 'user', content: 'x' }),
  'two calls of one id': (body) => (body['messages'][2].tool_calls[1].id = 'a'),
  'a picture in a result': (body) => (body['messages'][4].content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }]),
  'sound': (body) => (body['messages'][1].content = [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }]),
  'a paper': (body) => (body['messages'][1].content = [{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } }]),
  'the length of 0': (body) => ((body['max_tokens'] = 0), (body['max_completion_tokens'] = 0)),
};

const picture = (url: string): Damage => (body) => (body['messages'][1].content = [{ type: 'image_url', image_url: { url } }]);
const SUBJECTS: Readonly<Record<string, Subject>> = {
  deepseek: {
    validate: validateDeepSeekRequest,
    sound: (body) => {
      Object.assign(body, { stream_options: { include_usage: true }, temperature: 2, max_tokens: 5, thinking: { type: 'enabled' }, reasoning_effort: 'high', tool_choice: 'auto' });
      body['messages'][1].name = 'alice';
      body['messages'][2].reasoning_content = '';
    },
    own: {
      'calls without their thinking': (body) => delete body['messages'][2].reasoning_content,
      'thinking that is null': (body) => (body['messages'][2].reasoning_content = null),
      'a forced choice': (body) => (body['tool_choice'] = 'required'),
      'a named choice': (body) => (body['tool_choice'] = { type: 'function', function: { name: 'now' } }),
      'an effort of its own': (body) => (body['reasoning_effort'] = 'low'),
      'a schema': (body) => (body['response_format'] = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } }),
      'JSON without the word': (body) => (body['response_format'] = { type: 'json_object' }),
      'a picture': picture('data:image/png;base64,AAAA'),
      'temperature above 2': (body) => (body['temperature'] = 2.1),
      'the newer length field': (body) => (body['max_completion_tokens'] = 5),
      'seventeen stop words': (body) => (body['stop'] = Array.from({ length: 17 }, () => 'x')),
      'adaptive thinking': (body) => (body['thinking'] = { type: 'adaptive' }),
    },
  },
  glm: {
    validate: validateGLMRequest,
    sound: (body) => Object.assign(body, { temperature: 1, top_p: 0.01, max_tokens: 5, thinking: { type: 'disabled' }, tool_choice: 'auto', stop: ['x'] }),
    own: {
      'temperature above 1': (body) => (body['temperature'] = 1.5),
      'a top_p of 0': (body) => (body['top_p'] = 0),
      'stream options': (body) => (body['stream_options'] = { include_usage: true }),
      'a penalty': (body) => (body['presence_penalty'] = 1),
      'a seed': (body) => (body['seed'] = 1),
      'a name': (body) => (body['messages'][1].name = 'alice'),
      'null beside calls': (body) => (body['messages'][2].content = null),
      'no choice': (body) => (body['tool_choice'] = 'none'),
      'a forced choice': (body) => (body['tool_choice'] = 'required'),
      'five stop words': (body) => (body['stop'] = ['1', '2', '3', '4', '5']),
      'a short request id': (body) => (body['request_id'] = '12345'),
      'parts for a text model': (body) => (body['messages'][1].content = [{ type: 'text', text: 'hi' }]),
      'a schema': (body) => (body['response_format'] = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } }),
    },
  },
  kimi: {
    validate: validateKimiRequest,
    sound: (body) => {
      Object.assign(body, { stream_options: { include_usage: true }, max_completion_tokens: 5, thinking: { type: 'enabled' }, tool_choice: 'auto' });
      body['messages'][1].content = [{ type: 'text', text: 'hi' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }, { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } }];
      body['messages'][2].reasoning_content = 'so';
    },
    own: {
      'calls without their thinking': (body) => delete body['messages'][2].reasoning_content,
      'a temperature': (body) => (body['temperature'] = 0.5),
      'a top_p': (body) => (body['top_p'] = 0.5),
      'a penalty': (body) => (body['frequency_penalty'] = 1),
      'a picture at an address': picture('https://x/y.png'),
      'a picture that is bare base64': picture('AAAA'),
      'a named choice': (body) => (body['tool_choice'] = { type: 'function', function: { name: 'now' } }),
      'a type beside anyOf': (body) => (body['tools'][0].function.parameters.properties.x = { type: 'string', anyOf: [{ minLength: 1 }] }),
      'a tuple as items': (body) => (body['tools'][0].function.parameters.properties.x = { type: 'array', items: [{ type: 'string' }] }),
      'a reference to elsewhere': (body) => (body['tools'][0].function.parameters.properties.x = { $ref: '#/properties/cities' }),
      'a schema without a name': (body) => (body['response_format'] = { type: 'json_schema', json_schema: { schema: { type: 'object' } } }),
    },
  },
  minimax: {
    validate: validateMiniMaxRequest,
    sound: (body) => {
      Object.assign(body, { temperature: 1, max_completion_tokens: 5, reasoning_split: true });
      body['messages'][2].reasoning_details = [{ type: 'reasoning.text', index: 0, text: 'so' }];
      body['messages'][5].content = '<think>\nso\n</think>\n\nIt rains.';
    },
    own: {
      'no split': (body) => delete body['reasoning_split'],
      'a temperature of 0': (body) => (body['temperature'] = 0),
      'temperature above 1': (body) => (body['temperature'] = 1.1),
      'any choice': (body) => (body['tool_choice'] = 'auto'),
      'a format': (body) => (body['response_format'] = { type: 'json_object' }),
      'a penalty': (body) => (body['presence_penalty'] = 1),
      'a seed': (body) => (body['seed'] = 1),
      'the parallel switch': (body) => (body['parallel_tool_calls'] = true),
      'a name': (body) => (body['messages'][1].name = 'alice'),
      'null beside calls': (body) => (body['messages'][2].content = null),
      'an empty list of thinking': (body) => (body['messages'][2].reasoning_details = []),
      'thinking as one text': (body) => (body['messages'][2].reasoning_content = 'so'),
      'a picture': picture('https://x/y.png'),
    },
  },
  dashscope: {
    validate: validateDashScopeCompatibleRequest,
    sound: (body) => {
      Object.assign(body, { stream_options: { include_usage: true }, temperature: 1.9, top_p: 1, seed: 1, max_tokens: 5, enable_thinking: true, thinking_budget: 9, enable_search: true, parallel_tool_calls: true, tool_choice: 'auto' });
      body['messages'][1] = { role: 'user', content: [{ type: 'text', text: 'hi' }, { type: 'image_url', image_url: { url: 'https://x/y.png' } }, { type: 'video_url', video_url: { url: 'https://x/y.mp4' } }, { type: 'input_audio', input_audio: { data: 'data:;base64,AAAA', format: 'wav' } }] };
      body['messages'][2].reasoning_content = 'x';
    },
    own: {
      'sound as bare base64': (body) => (body['messages'][1].content[3].input_audio.data = 'AAAA'),
      'sound of a wrong format': (body) => (body['messages'][1].content[3].input_audio.format = 'ogg'),
      'top_k': (body) => (body['top_k'] = 0.5), // it is taken here, whole
      'a budget': (body) => (body['thinking_budget'] = 0),
      'a late system message': (body) => body['messages'].splice(3, 0, { role: 'system', content: 'x' }),
      'two system messages': (body) => body['messages'].splice(1, 0, { role: 'system', content: 'x' }),
      'a tool called search': (body) => (body['tools'][0].function.name = 'search'),
      'a call of search': (body) => (body['messages'][2].tool_calls[0].function.name = 'search'),
      'a tool forced while thinking': (body) => (body['tool_choice'] = { type: 'function', function: { name: 'now' } }),
      'required': (body) => (body['tool_choice'] = 'required'),
      'thinking without a stream': (body) => (delete body['stream_options'], (body['stream'] = false)),
      'a format while thinking': (body) => (body['response_format'] = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } }),
      'a budget without thinking': (body) => delete body['enable_thinking'],
      'a name': (body) => (body['messages'][1].name = 'alice'),
      'null beside calls': (body) => (body['messages'][2].content = null),
      'temperature at its bound': (body) => (body['temperature'] = 2),
      'top_p of nothing': (body) => (body['top_p'] = 0),
      'the newer length field': (body) => (body['max_completion_tokens'] = 5),
    },
  },
  xai: {
    validate: validateXAIRequest,
    sound: (body) => {
      Object.assign(body, { stream_options: { include_usage: true }, temperature: 2, seed: 1, max_completion_tokens: 5, reasoning_effort: 'low', parallel_tool_calls: false, tool_choice: { type: 'function', function: { name: 'now' } } });
      body['response_format'] = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } };
      body['messages'][1] = { role: 'user', name: 'alice', content: [{ type: 'text', text: 'hi' }, { type: 'image_url', image_url: { url: 'https://x/y.png' } }] };
      body['messages'][2].content = null;
    },
    own: {
      'a penalty': (body) => (body['frequency_penalty'] = 1),
      'a stop word': (body) => (body['stop'] = ['x']),
      'thinking': (body) => (body['messages'][2].reasoning_content = 'x'),
      'a closed object': (body) => (body['tools'][0].function.parameters.additionalProperties = false),
      'a webp picture': picture('data:image/webp;base64,AAAA'),
      'a film': (body) => (body['messages'][1].content = [{ type: 'video_url', video_url: { url: 'https://x/y.mp4' } }]),
      'a seed with a fraction': (body) => (body['seed'] = 0.5),
      'an empty effort': (body) => (body['reasoning_effort'] = ''),
      'the older length field': (body) => (body['max_tokens'] = 5),
      'temperature above 2': (body) => (body['temperature'] = 3),
    },
  },
};

describe.for(Object.entries(SUBJECTS))('%s', ([, { validate, sound, own }]) => {
  const make = (): Json => {
    const body = soundBody();
    sound(body);
    return body;
  };
  const broken = { ...brokenAnywhere, ...own };

  test('a sound request breaks no rule', () => {
    expect(validate(make())).toEqual([]);
    expect(validate(soundWithout(make()))).toEqual([]);
  });

  test(`each of ${Object.keys(broken).length} broken requests breaks a rule that the sound one keeps`, () => {
    expect(Object.keys(broken).length).toBeGreaterThanOrEqual(40);
    const passed = Object.entries(broken).filter(([, damage]) => {
      const body = make();
      damage(body);
      return validate(body).length === 0;
    });
    expect(passed.map(([name]) => name)).toEqual([]);
    expect([validate(undefined), validate(7)].every((list) => list.length > 0)).toBe(true);
  });
});

function soundWithout({ tools: _tools, tool_choice: _choice, parallel_tool_calls: _parallel, ...body }: Json): Json {
  return body;
}
