import { checkKnown, checkRange, checkUnicode, isBase64, isFields, isFilledText, isWebAddress, Problems } from './shared.ts';
import type { Fields, RequestValidator } from './shared.ts';

/**
 * Judges the body of a request of the Messages API (PROVIDERS §1.7 and §5) the strict way: what some model or server refuses is a
 * broken rule, also where others let it pass.
 */
export const validateAnthropicRequest: RequestValidator = (body) => {
  const problems = new Problems();
  if (!isFields(body)) return ['body: a JSON object'];
  checkUnicode(body, problems);
  checkKnown(body, BODY_MEMBERS, { problems, path: 'body' });
  checkTop(body, problems);
  const names = checkTools(body['tools'], problems);
  checkChoice(body, names, problems);
  checkSystem(body['system'], problems);
  checkMessages(body['messages'], body, problems);
  checkMarks(body, problems);
  return problems.list;
};

const BODY_MEMBERS = [
  'model', 'max_tokens', 'messages', 'system', 'stream', 'temperature', 'top_p', 'top_k', 'stop_sequences', 'tools', 'tool_choice', 'thinking',
  'output_config', 'metadata', 'service_tier', 'cache_control', 'container', 'context_management', 'mcp_servers', 'inference_geo',
];
const MOST_MARKS = 4;
const MOST_IMAGES = 100;

function checkTop(body: Fields, problems: Problems): void {
  problems.check(isFilledText(body['model']), 'model', 'a name');
  const most = body['max_tokens'];
  problems.check(typeof most === 'number' && Number.isInteger(most) && most >= 1, 'max_tokens', 'required, an integer of at least 1');
  problems.check(body['stream'] === undefined || typeof body['stream'] === 'boolean', 'stream', 'a boolean');
  checkRange(body['temperature'], [0, 1], { problems, path: 'temperature' });
  checkRange(body['top_p'], [0, 1], { problems, path: 'top_p' });
  problems.check(body['top_k'] === undefined || (Number.isInteger(body['top_k']) && Number(body['top_k']) >= 1), 'top_k', 'a positive integer');
  problems.check(body['temperature'] === undefined || body['top_p'] === undefined, 'temperature', 'not together with top_p');
  const stops = body['stop_sequences'];
  problems.check(stops === undefined || (Array.isArray(stops) && stops.every(isFilledText)), 'stop_sequences', 'a list of texts that are not blank');
  checkThinking(body, problems);
  checkOutput(body['output_config'], problems);
}

function isThinking({ thinking }: Fields): boolean {
  return isFields(thinking) && thinking['type'] !== 'disabled';
}

function checkThinking(body: Fields, problems: Problems): void {
  const { thinking } = body;
  if (thinking === undefined) return;
  const type = isFields(thinking) ? thinking['type'] : undefined;
  if (!isFields(thinking) || (type !== 'enabled' && type !== 'adaptive' && type !== 'disabled')) return problems.add('thinking.type', 'enabled, adaptive or disabled');
  const budget = thinking['budget_tokens'];
  if (type === 'enabled') {
    problems.check(typeof budget === 'number' && Number.isInteger(budget) && budget >= 1024, 'thinking.budget_tokens', 'an integer of at least 1024');
    problems.check(Number(budget) < Number(body['max_tokens']), 'thinking.budget_tokens', 'less than max_tokens');
  } else problems.check(budget === undefined, 'thinking.budget_tokens', 'only with type enabled');
  if (type === 'disabled') return;
  problems.check(body['temperature'] === undefined, 'temperature', 'not while thinking');
  problems.check(body['top_k'] === undefined, 'top_k', 'not while thinking');
  problems.check(body['top_p'] === undefined || Number(body['top_p']) >= 0.95, 'top_p', 'at least 0.95 while thinking');
}

function checkOutput(config: unknown, problems: Problems): void {
  if (config === undefined || !problems.check(isFields(config), 'output_config', 'an object') || !isFields(config)) return;
  const { effort, format } = config;
  problems.check(effort === undefined || ['low', 'medium', 'high', 'xhigh', 'max'].includes(String(effort)), 'output_config.effort', 'low, medium, high, xhigh or max');
  if (format === undefined) return;
  if (!isFields(format) || format['type'] !== 'json_schema' || !isFields(format['schema'])) return problems.add('output_config.format', 'json_schema with a schema');
  checkOutputSchema(format['schema'], 'output_config.format.schema', problems);
}

const LIMIT_WORDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern', 'maxItems', 'oneOf', 'patternProperties', 'not'];

function checkOutputSchema(schema: Fields, path: string, problems: Problems): void {
  for (const word of LIMIT_WORDS) problems.check(!(word in schema), path, `no ${word}`);
  const isObjectType = schema['type'] === 'object' || (Array.isArray(schema['type']) && schema['type'].includes('object'));
  if (isObjectType) problems.check(schema['additionalProperties'] === false, path, 'objects are closed (additionalProperties: false)');
  const { properties, items, anyOf, $defs } = schema;
  for (const [kind, map] of Object.entries({ properties, $defs })) {
    if (isFields(map)) for (const [name, field] of Object.entries(map)) if (isFields(field)) checkOutputSchema(field, `${path}.${kind}.${name}`, problems);
  }
  if (isFields(items)) checkOutputSchema(items, `${path}.items`, problems);
  if (Array.isArray(anyOf)) anyOf.forEach((one: unknown, at) => isFields(one) && checkOutputSchema(one, `${path}.anyOf[${at}]`, problems));
}

function checkTools(tools: unknown, problems: Problems): ReadonlySet<unknown> {
  const names = new Set<unknown>();
  if (tools === undefined) return names;
  if (!Array.isArray(tools) || tools.length === 0) {
    problems.add('tools', 'a list that is not empty, or nothing');
    return names;
  }
  tools.forEach((tool: unknown, at) => {
    const path = `tools[${at}]`;
    if (!isFields(tool)) return problems.add(path, 'an object');
    const { name, type } = tool;
    problems.check(!names.has(name), `${path}.name`, 'once only');
    names.add(name);
    if (typeof type === 'string' && /_\d{8}$/.test(type)) return; // a tool of the provider's own, with its date
    problems.check(type === undefined || type === 'custom', `${path}.type`, 'custom, or a tool of the provider');
    checkKnown(tool, ['type', 'name', 'description', 'input_schema', 'strict', 'eager_input_streaming', 'cache_control', 'input_examples', 'defer_loading', 'allowed_callers'], { problems, path });
    problems.check(isName(name), `${path}.name`, 'letters, digits, _ and -, at most 64');
    problems.check(tool['description'] === undefined || typeof tool['description'] === 'string', `${path}.description`, 'a text');
    const schema = tool['input_schema'];
    if (!problems.check(isFields(schema) && schema['type'] === 'object', `${path}.input_schema`, 'a schema of type object') || !isFields(schema)) return;
    for (const word of ['anyOf', 'oneOf', 'allOf']) problems.check(!(word in schema), `${path}.input_schema`, `no ${word} at the root`);
  });
  return names;
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name);
}

function checkChoice(body: Fields, names: ReadonlySet<unknown>, problems: Problems): void {
  const choice = body['tool_choice'];
  if (choice === undefined) return;
  problems.check(names.size > 0, 'tool_choice', 'only with tools');
  const type = isFields(choice) ? choice['type'] : undefined;
  if (!problems.check(['auto', 'any', 'tool', 'none'].includes(String(type)), 'tool_choice.type', 'auto, any, tool or none') || !isFields(choice)) return;
  if (type === 'tool') problems.check(names.has(choice['name']), 'tool_choice.name', 'the name of a tool of the request');
  else problems.check(choice['name'] === undefined, 'tool_choice.name', 'only with type tool');
  if (type === 'none') problems.check(choice['disable_parallel_tool_use'] === undefined, 'tool_choice.disable_parallel_tool_use', 'not with type none');
  if (isThinking(body)) problems.check(type === 'auto' || type === 'none', 'tool_choice', 'nothing is forced while thinking');
}

function checkSystem(system: unknown, problems: Problems): void {
  if (system === undefined) return;
  if (typeof system === 'string') return void problems.check(isFilledText(system), 'system', 'not blank');
  if (!problems.check(Array.isArray(system) && system.length > 0, 'system', 'a text or a list of text blocks') || !Array.isArray(system)) return;
  system.forEach((block: unknown, at) => checkText(block, `system[${at}]`, problems));
}

function checkText(block: unknown, path: string, problems: Problems): void {
  if (!isFields(block) || block['type'] !== 'text') return problems.add(path, 'a text block');
  checkKnown(block, ['type', 'text', 'cache_control', 'citations'], { problems, path });
  problems.check(isFilledText(block['text']), `${path}.text`, 'not empty, not blank');
}

function checkMessages(messages: unknown, body: Fields, problems: Problems): void {
  if (!Array.isArray(messages) || messages.length === 0) return problems.add('messages', 'a list that is not empty');
  const list = messages as readonly unknown[];
  list.forEach((message, at) => checkMessage(message, `messages[${at}]`, problems));
  const sound = list.filter(isFields);
  problems.check(sound[0]?.['role'] === 'user', 'messages[0].role', 'user');
  problems.check(sound.at(-1)?.['role'] !== 'assistant', `messages[${list.length - 1}].role`, 'not assistant: newer models take no prefill');
  sound.forEach((message, at) => problems.check(at === 0 || message['role'] !== sound[at - 1]?.['role'], `messages[${at}].role`, 'sides take turns'));
  checkPairs(sound, problems);
  if (isThinking(body)) checkLastRound(sound, problems);
  const images = sound.flatMap((message) => blocksDeep(message['content'])).filter((block) => block['type'] === 'image').length;
  problems.check(images <= MOST_IMAGES, 'messages', `at most ${MOST_IMAGES} images`);
}

function checkMessage(message: unknown, path: string, problems: Problems): void {
  if (!isFields(message)) return problems.add(path, 'an object');
  checkKnown(message, ['role', 'content'], { problems, path });
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant') return problems.add(`${path}.role`, 'user or assistant');
  if (typeof content === 'string') return void problems.check(isFilledText(content), `${path}.content`, 'not empty, not blank');
  if (!Array.isArray(content) || content.length === 0) return problems.add(`${path}.content`, 'a text, or blocks, at least one');
  content.forEach((block: unknown, at) => checkBlock(block, role, { path: `${path}.content[${at}]`, problems }));
  if (role === 'user') checkResultsFirst(content as readonly unknown[], path, problems);
  else checkAssistantEnds(content as readonly unknown[], path, problems);
}

function checkResultsFirst(content: readonly unknown[], path: string, problems: Problems): void {
  const isResult = content.map((block) => isFields(block) && block['type'] === 'tool_result');
  problems.check(!isResult.some((one, at) => one && isResult.slice(0, at).includes(false)), path, 'results stand before everything else');
}

function checkAssistantEnds(content: readonly unknown[], path: string, problems: Problems): void {
  const last = content.at(-1);
  const type = isFields(last) ? last['type'] : undefined;
  problems.check(type !== 'thinking' && type !== 'redacted_thinking', path, 'does not end with thinking');
}

interface Place {
  readonly path: string;
  readonly problems: Problems;
}

function checkBlock(block: unknown, role: 'user' | 'assistant', { path, problems }: Place): void {
  if (!isFields(block)) return problems.add(path, 'an object');
  const type = String(block['type']);
  const allowed = role === 'user' ? ['text', 'image', 'document', 'tool_result'] : ['text', 'thinking', 'redacted_thinking', 'tool_use'];
  if (!problems.check(allowed.includes(type), `${path}.type`, `one of ${allowed.join(', ')} for ${role}`)) return;
  switch (type) {
    case 'text':
      return checkText(block, path, problems);
    case 'image':
      return checkImage(block, { path, problems });
    case 'document':
      return checkDocument(block, { path, problems });
    case 'thinking':
      problems.check(typeof block['thinking'] === 'string', `${path}.thinking`, 'a text');
      problems.check(isFilledText(block['signature']), `${path}.signature`, 'the signature it came with');
      return checkKnown(block, ['type', 'thinking', 'signature'], { problems, path });
    case 'redacted_thinking':
      problems.check(isFilledText(block['data']), `${path}.data`, 'the data it came as');
      return checkKnown(block, ['type', 'data'], { problems, path });
    case 'tool_use':
      problems.check(isFields(block['input']), `${path}.input`, 'an object');
      problems.check(isName(block['name']), `${path}.name`, 'letters, digits, _ and -, at most 64');
      problems.check(isId(block['id']), `${path}.id`, 'letters, digits, _ and -');
      return checkKnown(block, ['type', 'id', 'name', 'input', 'cache_control'], { problems, path });
    default:
      return checkResult(block, { path, problems });
  }
}

function isId(id: unknown): boolean {
  return typeof id === 'string' && /^[a-zA-Z0-9_-]+$/.test(id);
}

function checkResult(block: Fields, { path, problems }: Place): void {
  checkKnown(block, ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'], { problems, path });
  problems.check(isId(block['tool_use_id']), `${path}.tool_use_id`, 'letters, digits, _ and -');
  problems.check(block['is_error'] === undefined || typeof block['is_error'] === 'boolean', `${path}.is_error`, 'a boolean');
  const { content } = block;
  if (content === undefined) return;
  if (typeof content === 'string') return void problems.check(isFilledText(content), `${path}.content`, 'not empty, not blank');
  if (!Array.isArray(content) || content.length === 0) return problems.add(`${path}.content`, 'a text, or blocks, at least one');
  content.forEach((part: unknown, at) => {
    const type = isFields(part) ? part['type'] : undefined;
    if (problems.check(type === 'text' || type === 'image' || type === 'document', `${path}.content[${at}].type`, 'text, image or document')) checkBlock(part, 'user', { path: `${path}.content[${at}]`, problems });
  });
}

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

function checkImage(block: Fields, { path, problems }: Place): void {
  checkKnown(block, ['type', 'source', 'cache_control'], { problems, path });
  const { source } = block;
  const type = isFields(source) ? source['type'] : undefined;
  if (!isFields(source) || (type !== 'base64' && type !== 'url')) return problems.add(`${path}.source`, 'base64 or url');
  if (type === 'url') return void problems.check(isWebAddress(source['url']), `${path}.source.url`, 'an http or https address');
  problems.check(IMAGE_TYPES.includes(String(source['media_type'])), `${path}.source.media_type`, IMAGE_TYPES.join(', '));
  problems.check(isBase64(source['data']), `${path}.source.data`, 'base64, not empty, no data URL');
}

function checkDocument(block: Fields, { path, problems }: Place): void {
  checkKnown(block, ['type', 'source', 'title', 'context', 'citations', 'cache_control'], { problems, path });
  problems.check(block['title'] === undefined || isFilledText(block['title']), `${path}.title`, 'not blank');
  const { source } = block;
  const type = isFields(source) ? source['type'] : undefined;
  if (!isFields(source) || !['base64', 'url', 'text'].includes(String(type))) return problems.add(`${path}.source`, 'base64, url or text');
  if (type === 'url') return void problems.check(isWebAddress(source['url']), `${path}.source.url`, 'an http or https address');
  if (type === 'text') {
    problems.check(source['media_type'] === 'text/plain', `${path}.source.media_type`, 'text/plain');
    return void problems.check(isFilledText(source['data']), `${path}.source.data`, 'a text, not blank');
  }
  problems.check(source['media_type'] === 'application/pdf', `${path}.source.media_type`, 'application/pdf');
  problems.check(isBase64(source['data']), `${path}.source.data`, 'base64, not empty, no data URL');
}

/** Each call has its one result in the very next message, each result its call in the one before. */
function checkPairs(messages: readonly Fields[], problems: Problems): void {
  const all = messages.flatMap((message) => idsIn(message, 'tool_use', 'id'));
  problems.check(new Set(all).size === all.length, 'messages', 'ids of calls are unique');
  messages.forEach((message, at) => {
    const calls = idsIn(message, 'tool_use', 'id');
    const answers = messages[at + 1] === undefined ? [] : idsIn(messages[at + 1] as Fields, 'tool_result', 'tool_use_id');
    for (const id of calls) problems.check(answers.filter((one) => one === id).length === 1, `messages[${at}]`, `the call ${String(id)} has exactly one result in the next message`);
    const before = at === 0 ? [] : idsIn(messages[at - 1] as Fields, 'tool_use', 'id');
    for (const id of idsIn(message, 'tool_result', 'tool_use_id')) problems.check(before.includes(id), `messages[${at}]`, `the result ${String(id)} has its call in the message before`);
  });
}

function idsIn({ content }: Fields, type: string, member: string): readonly unknown[] {
  return Array.isArray(content) ? (content as unknown[]).flatMap((block) => (isFields(block) && block['type'] === type ? [block[member]] : [])) : [];
}

/** While thinking, a tool round that is going on begins with the thinking it began with. */
function checkLastRound(messages: readonly Fields[], problems: Problems): void {
  const [before, last] = messages.slice(-2);
  if (before === undefined || last === undefined || idsIn(last, 'tool_result', 'tool_use_id').length === 0) return;
  const first = Array.isArray(before['content']) ? (before['content'] as unknown[])[0] : undefined;
  const type = isFields(first) ? first['type'] : undefined;
  problems.check(type === 'thinking' || type === 'redacted_thinking', `messages[${messages.length - 2}]`, 'the last tool round begins with its thinking while thinking is on');
}

function checkMarks(body: Fields, problems: Problems): void {
  const blocks = [...(Array.isArray(body['tools']) ? (body['tools'] as unknown[]).filter(isFields) : []), ...blocksDeep(body['system']), ...(Array.isArray(body['messages']) ? (body['messages'] as unknown[]).filter(isFields).flatMap((message) => blocksDeep(message['content'])) : [])];
  const marked = blocks.filter((block) => block['cache_control'] !== undefined);
  problems.check(marked.length + (body['cache_control'] === undefined ? 0 : 1) <= MOST_MARKS, 'cache_control', `at most ${MOST_MARKS} marks`);
  let short = false;
  for (const block of marked) {
    const mark = block['cache_control'];
    const ttl = isFields(mark) ? mark['ttl'] : undefined;
    problems.check(isFields(mark) && mark['type'] === 'ephemeral' && (ttl === undefined || ttl === '5m' || ttl === '1h'), 'cache_control', 'ephemeral, for 5m or 1h');
    problems.check(!(short && ttl === '1h'), 'cache_control', 'no long mark behind a short one');
    short ||= ttl !== '1h';
  }
}

function blocksDeep(content: unknown): readonly Fields[] {
  if (!Array.isArray(content)) return [];
  return (content as unknown[]).filter(isFields).flatMap((block) => [block, ...blocksDeep(block['type'] === 'tool_result' ? block['content'] : undefined)]);
}
