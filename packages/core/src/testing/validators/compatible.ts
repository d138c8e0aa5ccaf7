import { checkKnown, checkRange, checkUnicode, isBase64, isFields, isFilledText, isWebAddress, Problems } from './shared.ts';
import type { Fields, RequestValidator } from './shared.ts';

/** What one server of the compatible family takes, as its documentation says it. */
export interface CompatibleRules {
  /** Members of the body beside model, messages, stream, tools. */
  readonly members: readonly string[];
  readonly ranges: Readonly<Record<string, readonly [number, number]>>;
  readonly stopWords: number;
  readonly choices: readonly string[];
  /** A tool may be named in a choice. */
  readonly named: boolean;
  readonly formats: readonly string[];
  /** Speakers' names are taken. */
  readonly names: boolean;
  /** Kinds of parts of a user message; none: text only. */
  readonly parts: readonly string[];
  /** Addresses of media are taken; else they have to be bytes. */
  readonly addresses: boolean;
  /** The member of an assistant message for its thinking. */
  readonly thinking: 'reasoning_content' | 'reasoning_details' | undefined;
  /** Assistant messages with calls must have it. */
  readonly thinkingBesideCalls: boolean;
  /** Beside calls without a text. */
  readonly nullContent: boolean;
  /** Rules of this server alone. */
  readonly own?: (body: Fields, problems: Problems) => void;
}

/** Judges the body of a request as a server with these rules does (PROVIDERS §1.7, §3, §8–12). */
export function compatibleValidator(rules: CompatibleRules): RequestValidator {
  return (body) => {
    const problems = new Problems();
    if (!isFields(body)) return ['body: a JSON object'];
    checkUnicode(body, problems);
    checkKnown(body, ['model', 'messages', 'stream', 'tools', ...rules.members], { problems, path: 'body' });
    checkTop(body, rules, problems);
    checkTools(body, rules, problems);
    checkFormat(body, rules, problems);
    checkMessages(body['messages'], rules, problems);
    rules.own?.(body, problems);
    return problems.list;
  };
}

function checkTop(body: Fields, rules: CompatibleRules, problems: Problems): void {
  problems.check(isFilledText(body['model']), 'model', 'a name');
  problems.check(typeof body['stream'] === 'boolean', 'stream', 'a boolean');
  problems.check(body['stream_options'] === undefined || body['stream'] === true, 'stream_options', 'only in a stream');
  for (const [name, range] of Object.entries(rules.ranges)) checkRange(body[name], range, { problems, path: name });
  for (const name of ['max_tokens', 'max_completion_tokens']) problems.check(body[name] === undefined || (Number.isInteger(body[name]) && Number(body[name]) > 0), name, 'a positive integer');
  problems.check(body['seed'] === undefined || Number.isInteger(body['seed']), 'seed', 'an integer');
  const { stop, thinking } = body;
  problems.check(stop === undefined || (Array.isArray(stop) && stop.length <= rules.stopWords && stop.every(isFilledText)) || (typeof stop === 'string' && stop !== ''), 'stop', `at most ${rules.stopWords} words`);
  problems.check(body['reasoning_effort'] === undefined || isFilledText(body['reasoning_effort']), 'reasoning_effort', 'a word');
  problems.check(thinking === undefined || (isFields(thinking) && ['enabled', 'disabled', 'adaptive'].includes(String(thinking['type']))), 'thinking', 'a type');
}

function checkTools(body: Fields, rules: CompatibleRules, problems: Problems): void {
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
  if (choice === undefined || (typeof choice === 'string' && rules.choices.includes(choice))) return;
  const fn = isFields(choice) && choice['type'] === 'function' ? choice['function'] : undefined;
  if (problems.check(rules.named && isFields(fn), 'tool_choice', `one of ${rules.choices.join(', ')}${rules.named ? ', or a function' : ''}`) && isFields(fn)) problems.check(names.includes(fn['name']), 'tool_choice', 'a tool of the request');
}

function checkTool(tool: unknown, path: string, problems: Problems): unknown {
  const fn = isFields(tool) ? tool['function'] : undefined;
  if (!isFields(tool) || tool['type'] !== 'function' || !isFields(fn)) return problems.add(path, 'a function');
  checkKnown(tool, ['type', 'function'], { problems, path });
  checkKnown(fn, ['name', 'description', 'parameters'], { problems, path: `${path}.function` });
  problems.check(isName(fn['name']), `${path}.function.name`, 'letters, digits, _ and -, at most 64');
  problems.check(fn['description'] === undefined || typeof fn['description'] === 'string', `${path}.function.description`, 'a text');
  problems.check(isFields(fn['parameters']) && fn['parameters']['type'] === 'object', `${path}.function.parameters`, 'an object at the root');
  walkSchema(fn['parameters'], (node) => problems.check(node['type'] !== 'array' || 'items' in node || 'prefixItems' in node, path, 'a list says what it holds'));
  return fn['name'];
}

/** Calls back for each schema in a schema, itself first. */
export function walkSchema(schema: unknown, visit: (node: Fields) => void): void {
  if (Array.isArray(schema)) return schema.forEach((one) => walkSchema(one, visit));
  if (!isFields(schema)) return;
  visit(schema);
  for (const word of ['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'additionalProperties']) walkSchema(schema[word], visit);
  for (const word of ['properties', '$defs']) if (isFields(schema[word])) for (const field of Object.values(schema[word])) walkSchema(field, visit);
}

/** The parameters of each tool of a body. */
export function schemasOf(body: Fields): readonly unknown[] {
  const { tools } = body;
  return Array.isArray(tools) ? tools.map((tool: unknown) => (isFields(tool) && isFields(tool['function']) ? tool['function']['parameters'] : undefined)) : [];
}

function checkFormat(body: Fields, rules: CompatibleRules, problems: Problems): void {
  const format = body['response_format'];
  if (format === undefined) return;
  const type = isFields(format) ? String(format['type']) : '';
  if (!isFields(format) || !problems.check(rules.formats.includes(type), 'response_format.type', rules.formats.join(', '))) return;
  if (type === 'json_object') problems.check(/json/i.test(JSON.stringify(body['messages'] ?? '')), 'response_format', 'the word JSON stands in the messages');
  if (type !== 'json_schema') return;
  const described = format['json_schema'];
  if (!isFields(described)) return problems.add('response_format.json_schema', 'a name and a schema');
  problems.check(isName(described['name']), 'response_format.json_schema.name', 'letters, digits, _ and -, at most 64');
  problems.check(isFields(described['schema']) && described['schema']['type'] === 'object', 'response_format.json_schema.schema', 'an object at the root');
}

function checkMessages(messages: unknown, rules: CompatibleRules, problems: Problems): void {
  if (!Array.isArray(messages) || messages.length === 0) return problems.add('messages', 'a list that is not empty');
  const list = messages as readonly unknown[];
  list.forEach((message, at) => checkMessage(message, rules, { path: `messages[${at}]`, problems }));
  const sound = list.filter(isFields);
  problems.check(sound.some((message) => message['role'] === 'user'), 'messages', 'a user says something');
  problems.check(sound.at(-1)?.['role'] !== 'assistant', `messages[${list.length - 1}].role`, 'not assistant');
  checkPairs(sound, problems);
}

interface Place {
  readonly path: string;
  readonly problems: Problems;
}

function checkMessage(message: unknown, rules: CompatibleRules, { path, problems }: Place): void {
  if (!isFields(message)) return problems.add(path, 'an object');
  const { role } = message;
  const name = rules.names ? ['name'] : [];
  const members = role === 'system' || role === 'user' ? name : role === 'assistant' ? [...name, 'tool_calls', ...(rules.thinking === undefined ? [] : [rules.thinking])] : role === 'tool' ? ['tool_call_id'] : undefined;
  if (members === undefined) return problems.add(`${path}.role`, 'system, user, assistant or tool');
  checkKnown(message, ['role', 'content', ...members], { problems, path });
  problems.check(message['name'] === undefined || isName(message['name']), `${path}.name`, 'letters, digits, _ and -, at most 64');
  const calls = message['tool_calls'];
  if (calls !== undefined) checkCalls(calls, { path, problems });
  checkThinking(message, rules, { path, problems });
  checkContent(message, rules, { path: `${path}.content`, problems });
  if (role === 'tool') problems.check(isFilledText(message['tool_call_id']), `${path}.tool_call_id`, 'an id');
}

function checkThinking(message: Fields, rules: CompatibleRules, { path, problems }: Place): void {
  const { reasoning_content: text, reasoning_details: details } = message;
  problems.check(text === undefined || typeof text === 'string', `${path}.reasoning_content`, 'a text');
  problems.check(details === undefined || (Array.isArray(details) && details.length > 0 && details.every((part: unknown) => isFields(part) && typeof part['type'] === 'string')), `${path}.reasoning_details`, 'a list of parts');
  if (rules.thinkingBesideCalls && message['tool_calls'] !== undefined) problems.check(text !== undefined, `${path}.reasoning_content`, 'must be passed back beside calls');
}

function checkCalls(calls: unknown, { path, problems }: Place): void {
  if (!Array.isArray(calls) || calls.length === 0) return problems.add(`${path}.tool_calls`, 'a list that is not empty, or nothing');
  calls.forEach((call: unknown, at) => {
    const where = `${path}.tool_calls[${at}]`;
    const fn = isFields(call) ? call['function'] : undefined;
    if (!isFields(call) || call['type'] !== 'function' || !isFields(fn)) return problems.add(where, 'a function');
    problems.check(isFilledText(call['id']), `${where}.id`, 'an id');
    problems.check(isName(fn['name']), `${where}.function.name`, 'letters, digits, _ and -, at most 64');
    problems.check(isObjectText(fn['arguments']), `${where}.function.arguments`, 'JSON text of an object');
  });
}

function checkContent(message: Fields, rules: CompatibleRules, { path, problems }: Place): void {
  const { role, content, tool_calls: calls } = message;
  const hasCalls = calls !== undefined;
  if (!problems.check('content' in message, path, 'is there, also beside calls')) return;
  if (content === null) return void problems.check(role === 'assistant' && hasCalls && rules.nullContent, path, 'no null');
  if (typeof content === 'string') return void problems.check(isFilledText(content) || (content === '' && hasCalls), path, 'not empty, not blank');
  if (!Array.isArray(content) || content.length === 0) return problems.add(path, 'a text, or parts');
  const kinds = rules.parts.length === 0 ? [] : role === 'user' ? ['text', ...rules.parts] : ['text'];
  content.forEach((part: unknown, at) => {
    const place = { path: `${path}[${at}]`, problems };
    const type = isFields(part) ? String(part['type']) : '';
    if (!isFields(part) || !problems.check(kinds.includes(type), place.path, kinds.length === 0 ? 'text only, no parts' : `one of ${kinds.join(', ')}`)) return;
    if (type === 'text') return void problems.check(isFilledText(part['text']), place.path, 'not empty, not blank');
    const inner = part[type];
    if (type === 'input_audio') return void problems.check(isSound(inner), place.path, 'an address or a data URL without a type, and the format');
    problems.check(isMedia(isFields(inner) ? inner['url'] : undefined, type.replace('_url', ''), rules), place.path, rules.addresses ? 'an address or a data URL' : 'a data URL');
  });
}

function isSound(inner: unknown): boolean {
  if (!isFields(inner) || !['wav', 'mp3'].includes(String(inner['format']))) return false;
  const { data } = inner;
  return isWebAddress(data) || (typeof data === 'string' && data.startsWith('data:;base64,') && isBase64(data.slice('data:;base64,'.length)));
}

function isMedia(url: unknown, kind: string, { addresses }: CompatibleRules): boolean {
  const text = typeof url === 'string' ? url : '';
  if (isWebAddress(url)) return addresses;
  const head = /^data:([a-z]+)\/[\w.+-]+;base64,/.exec(text);
  return head !== null && head[1] === kind && isBase64(text.slice(head[0].length));
}

/** Each call has its one result, all results stand directly behind the message of their calls, ids are not used twice. */
function checkPairs(messages: readonly Fields[], problems: Problems): void {
  const used = new Set<unknown>();
  let open: unknown[] = [];
  messages.forEach((message, at) => {
    if (message['role'] === 'tool') {
      const place = open.indexOf(message['tool_call_id']);
      if (problems.check(place >= 0, `messages[${at}]`, 'the one result of a call of the message before')) open.splice(place, 1);
      return;
    }
    problems.check(open.length === 0, `messages[${at}]`, 'every call is answered before anything else is said');
    const calls = message['tool_calls'];
    open = Array.isArray(calls) ? calls.map((call: unknown) => (isFields(call) ? call['id'] : undefined)) : [];
    for (const id of open) {
      problems.check(!used.has(id), `messages[${at}]`, 'ids of calls are unique');
      used.add(id);
    }
  });
  problems.check(open.length === 0, 'messages', 'every call is answered');
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name);
}

function isObjectText(text: unknown): boolean {
  try {
    return typeof text === 'string' && isFields(JSON.parse(text));
  } catch {
    return false;
  }
}
