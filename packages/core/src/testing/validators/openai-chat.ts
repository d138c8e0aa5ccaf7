import { checkKnown, checkRange, checkUnicode, isBase64, isFields, isFilledText, isWebAddress, Problems } from './shared.ts';
import type { Fields, RequestValidator } from './shared.ts';

/**
 * Judges the body of a Chat Completions request (PROVIDERS §1.7 and §3) as OpenAI does, and where strict compatible servers refuse more,
 * as they do.
 */
export const validateOpenAIChatRequest: RequestValidator = (body) => {
  const problems = new Problems();
  if (!isFields(body)) return ['body: a JSON object'];
  checkUnicode(body, problems);
  checkKnown(body, BODY_MEMBERS, { problems, path: 'body' });
  checkTop(body, problems);
  checkTools(body, problems);
  checkFormat(body['response_format'], problems);
  checkMessages(body['messages'], problems);
  return problems.list;
};

const BODY_MEMBERS = [
  'model', 'messages', 'stream', 'stream_options', 'temperature', 'top_p', 'top_k', 'max_tokens', 'max_completion_tokens', 'seed', 'frequency_penalty', 'presence_penalty',
  'reasoning_effort', 'tools', 'tool_choice', 'parallel_tool_calls', 'response_format', 'stop', 'n', 'logit_bias', 'logprobs', 'top_logprobs', 'verbosity', 'service_tier', 'store',
  'metadata', 'user', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention', 'prediction', 'modalities', 'audio', 'web_search_options',
];

function checkTop(body: Fields, problems: Problems): void {
  problems.check(isFilledText(body['model']), 'model', 'a name');
  problems.check(body['stream'] === undefined || typeof body['stream'] === 'boolean', 'stream', 'a boolean');
  problems.check(body['stream_options'] === undefined || body['stream'] === true, 'stream_options', 'only in a stream');
  checkRange(body['temperature'], [0, 2], { problems, path: 'temperature' });
  checkRange(body['top_p'], [0, 1], { problems, path: 'top_p' });
  checkRange(body['frequency_penalty'], [-2, 2], { problems, path: 'frequency_penalty' });
  checkRange(body['presence_penalty'], [-2, 2], { problems, path: 'presence_penalty' });
  for (const name of ['max_tokens', 'max_completion_tokens']) problems.check(body[name] === undefined || (Number.isInteger(body[name]) && Number(body[name]) > 0), name, 'a positive integer');
  problems.check(body['max_tokens'] === undefined || body['max_completion_tokens'] === undefined, 'max_tokens', 'not beside max_completion_tokens');
  problems.check(body['seed'] === undefined || Number.isInteger(body['seed']), 'seed', 'an integer');
  const { stop } = body;
  problems.check(stop === undefined || typeof stop === 'string' || (Array.isArray(stop) && stop.length <= 4), 'stop', 'at most 4');
  problems.check(body['reasoning_effort'] === undefined || isFilledText(body['reasoning_effort']), 'reasoning_effort', 'a word');
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name);
}

function checkTools(body: Fields, problems: Problems): void {
  const { tools, tool_choice: choice } = body;
  if (tools === undefined) {
    problems.check(choice === undefined, 'tool_choice', 'only with tools');
    return void problems.check(body['parallel_tool_calls'] === undefined, 'parallel_tool_calls', 'only with tools');
  }
  if (!Array.isArray(tools) || tools.length === 0) return problems.add('tools', 'a list that is not empty, or nothing');
  problems.check(tools.length <= 128, 'tools', 'at most 128');
  problems.check(body['parallel_tool_calls'] === undefined || typeof body['parallel_tool_calls'] === 'boolean', 'parallel_tool_calls', 'a boolean');
  const names = tools.map((tool: unknown, at) => checkTool(tool, `tools[${at}]`, problems));
  problems.check(new Set(names).size === names.length, 'tools', 'each name once');
  checkChoice(choice, names, problems);
}

function checkTool(tool: unknown, path: string, problems: Problems): unknown {
  const fn = isFields(tool) ? tool['function'] : undefined;
  if (!isFields(tool) || tool['type'] !== 'function' || !isFields(fn)) return problems.add(path, 'a function');
  checkKnown(tool, ['type', 'function'], { problems, path });
  checkKnown(fn, ['name', 'description', 'parameters', 'strict'], { problems, path: `${path}.function` });
  problems.check(isName(fn['name']), `${path}.function.name`, 'letters, digits, _ and -, at most 64');
  problems.check(fn['description'] === undefined || typeof fn['description'] === 'string', `${path}.function.description`, 'a text');
  const { parameters } = fn;
  if (parameters !== undefined) {
    problems.check(isFields(parameters) && parameters['type'] === 'object', `${path}.function.parameters`, 'an object at the root');
    if (isFields(parameters)) checkSchema(parameters, { path: `${path}.function.parameters`, strict: fn['strict'] === true, problems });
  }
  return fn['name'];
}

interface SchemaPlace {
  readonly path: string;
  readonly strict: boolean;
  readonly problems: Problems;
}

function checkSchema(schema: Fields, place: SchemaPlace): void {
  const { path, strict, problems } = place;
  const { type, items, properties, required } = schema;
  problems.check(type !== 'array' || isFields(items) || items === true, path, 'a list says what it holds (items)');
  if (strict) {
    for (const word of ['oneOf', 'allOf', 'not', 'if', 'patternProperties', 'minLength', 'maxLength', 'uniqueItems', 'default']) problems.check(!(word in schema), path, `no ${word} in strict mode`);
    const isObjectType = type === 'object' || (Array.isArray(type) && type.includes('object'));
    if (isObjectType) {
      problems.check(schema['additionalProperties'] === false, path, 'objects are closed in strict mode');
      const names = isFields(properties) ? Object.keys(properties) : [];
      problems.check(Array.isArray(required) && names.every((name) => required.includes(name)), path, 'every property is required in strict mode');
    }
  }
  if (isFields(properties)) for (const [name, field] of Object.entries(properties)) if (isFields(field)) checkSchema(field, { ...place, path: `${path}.${name}` });
  if (isFields(schema['$defs'])) for (const [name, field] of Object.entries(schema['$defs'])) if (isFields(field)) checkSchema(field, { ...place, path: `${path}.$defs.${name}` });
  if (isFields(items)) checkSchema(items, { ...place, path: `${path}[]` });
  if (Array.isArray(schema['anyOf'])) schema['anyOf'].forEach((one: unknown) => isFields(one) && checkSchema(one, place));
}

function checkChoice(choice: unknown, names: readonly unknown[], problems: Problems): void {
  if (choice === undefined || choice === 'auto' || choice === 'none' || choice === 'required') return;
  const fn = isFields(choice) && choice['type'] === 'function' ? choice['function'] : undefined;
  if (problems.check(isFields(fn), 'tool_choice', 'auto, none, required, or a function') && isFields(fn)) problems.check(names.includes(fn['name']), 'tool_choice.function.name', 'the name of a tool of the request');
}

function checkFormat(format: unknown, problems: Problems): void {
  if (format === undefined) return;
  const type = isFields(format) ? format['type'] : undefined;
  if (!isFields(format) || !problems.check(['text', 'json_object', 'json_schema'].includes(String(type)), 'response_format.type', 'text, json_object or json_schema') || type !== 'json_schema') return;
  const described = format['json_schema'];
  if (!isFields(described)) return problems.add('response_format.json_schema', 'a name and a schema');
  problems.check(isName(described['name']), 'response_format.json_schema.name', 'letters, digits, _ and -, at most 64');
  const { schema } = described;
  if (!isFields(schema)) return problems.add('response_format.json_schema.schema', 'a schema');
  problems.check(schema['type'] === 'object', 'response_format.json_schema.schema', 'an object at the root');
  checkSchema(schema, { path: 'response_format.json_schema.schema', strict: described['strict'] === true, problems });
}

function checkMessages(messages: unknown, problems: Problems): void {
  if (!Array.isArray(messages) || messages.length === 0) return problems.add('messages', 'a list that is not empty');
  const list = messages as readonly unknown[];
  list.forEach((message, at) => checkMessage(message, `messages[${at}]`, problems));
  const sound = list.filter(isFields);
  problems.check(sound.at(-1)?.['role'] !== 'assistant', `messages[${list.length - 1}].role`, 'not assistant');
  checkPairs(sound, problems);
}

const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content', 'name'],
  developer: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  assistant: ['role', 'content', 'name', 'tool_calls', 'refusal', 'audio'],
  tool: ['role', 'content', 'tool_call_id'],
};

function checkMessage(message: unknown, path: string, problems: Problems): void {
  if (!isFields(message)) return problems.add(path, 'an object');
  const role = String(message['role']);
  const members = Object.hasOwn(MEMBERS, role) ? MEMBERS[role] : undefined;
  if (members === undefined) return problems.add(`${path}.role`, 'system, developer, user, assistant or tool');
  checkKnown(message, members, { problems, path });
  problems.check(message['name'] === undefined || isName(message['name']), `${path}.name`, 'letters, digits, _ and -, at most 64');
  const calls = message['tool_calls'];
  if (calls !== undefined) checkCalls(calls, path, problems);
  if (!problems.check('content' in message, `${path}.content`, 'is there, also beside calls')) return;
  checkContent(message['content'], { role, path: `${path}.content`, problems, hasCalls: calls !== undefined });
  if (role === 'tool') problems.check(isCallId(message['tool_call_id']), `${path}.tool_call_id`, 'an id of at most 40 characters');
}

function isCallId(id: unknown): boolean {
  return typeof id === 'string' && id.length > 0 && id.length <= 40;
}

function checkCalls(calls: unknown, path: string, problems: Problems): void {
  if (!Array.isArray(calls) || calls.length === 0) return problems.add(`${path}.tool_calls`, 'a list that is not empty, or nothing');
  calls.forEach((call: unknown, at) => {
    const where = `${path}.tool_calls[${at}]`;
    const fn = isFields(call) ? call['function'] : undefined;
    if (!isFields(call) || call['type'] !== 'function' || !isFields(fn)) return problems.add(where, 'a function');
    problems.check(isCallId(call['id']), `${where}.id`, 'an id of at most 40 characters');
    problems.check(isName(fn['name']), `${where}.function.name`, 'letters, digits, _ and -, at most 64');
    problems.check(isObjectText(fn['arguments']), `${where}.function.arguments`, 'JSON text of an object');
  });
}

function isObjectText(text: unknown): boolean {
  try {
    return typeof text === 'string' && isFields(JSON.parse(text));
  } catch {
    return false;
  }
}

interface ContentPlace {
  readonly role: string;
  readonly path: string;
  readonly problems: Problems;
  readonly hasCalls: boolean;
}

function checkContent(content: unknown, { role, path, problems, hasCalls }: ContentPlace): void {
  if (content === null) return void problems.check(role === 'assistant' && hasCalls, path, 'null only for an assistant with calls');
  if (typeof content === 'string') return void problems.check(isFilledText(content) || (content === '' && hasCalls), path, 'not empty, not blank');
  if (!Array.isArray(content) || content.length === 0) return problems.add(path, 'a text, or parts, at least one');
  content.forEach((part: unknown, at) => checkPart(part, role, { path: `${path}[${at}]`, problems }));
}

function checkPart(part: unknown, role: string, { path, problems }: { path: string; problems: Problems }): void {
  const type = isFields(part) ? String(part['type']) : '';
  if (!isFields(part)) return problems.add(path, 'an object');
  const allowed = role === 'user' ? ['text', 'image_url', 'input_audio', 'file'] : role === 'assistant' ? ['text', 'refusal'] : ['text'];
  if (!problems.check(allowed.includes(type), `${path}.type`, `one of ${allowed.join(', ')} for ${role}`)) return;
  const inner = part[type];
  switch (type) {
    case 'text':
      return void problems.check(isFilledText(inner), `${path}.text`, 'not empty, not blank');
    case 'image_url': {
      const url = isFields(inner) ? inner['url'] : undefined;
      return void problems.check(isWebAddress(url) || isDataUrl(url, /^image\/(?:png|jpe?g|gif|webp)$/), `${path}.image_url.url`, 'an address, or a data URL with a png, jpeg, gif or webp picture');
    }
    case 'input_audio':
      problems.check(isFields(inner) && isBase64(inner['data']), `${path}.input_audio.data`, 'base64');
      return void problems.check(isFields(inner) && ['wav', 'mp3'].includes(String(inner['format'])), `${path}.input_audio.format`, 'wav or mp3');
    case 'file':
      return checkFile(inner, { path: `${path}.file`, problems });
  }
}

function checkFile(file: unknown, { path, problems }: { path: string; problems: Problems }): void {
  if (!isFields(file)) return problems.add(path, 'an object');
  if (file['file_id'] !== undefined) return void problems.check(isFilledText(file['file_id']), `${path}.file_id`, 'an id');
  problems.check(isDataUrl(file['file_data'], /^application\/pdf$/), `${path}.file_data`, 'a data URL with a PDF');
  problems.check(isFilledText(file['filename']), `${path}.filename`, 'a name');
}

function isDataUrl(url: unknown, type: RegExp): boolean {
  if (typeof url !== 'string') return false;
  const comma = url.indexOf(',');
  const head = /^data:([^;,]+);base64$/.exec(url.slice(0, Math.max(comma, 0)));
  return head !== null && type.test(head[1] ?? '') && isBase64(url.slice(comma + 1));
}

/** Each call has its one result, all results stand directly behind the message of their calls, ids are not used twice. */
function checkPairs(messages: readonly Fields[], problems: Problems): void {
  let open = new Set<unknown>();
  const used = new Set<unknown>();
  messages.forEach((message, at) => {
    const path = `messages[${at}]`;
    if (message['role'] === 'tool') {
      problems.check(open.delete(message['tool_call_id']), path, 'a result of a call of the message before, the only one');
      return;
    }
    problems.check(open.size === 0, path, 'every call is answered before anything else is said');
    open = new Set(callIds(message));
    for (const id of open) {
      problems.check(!used.has(id), path, 'ids of calls are unique');
      used.add(id);
    }
    problems.check(open.size === callIds(message).length, path, 'ids of calls are unique');
  });
  problems.check(open.size === 0, 'messages', 'every call is answered');
}

function callIds(message: Fields): readonly unknown[] {
  const calls = message['tool_calls'];
  return Array.isArray(calls) ? calls.map((call: unknown) => (isFields(call) ? call['id'] : undefined)) : [];
}
