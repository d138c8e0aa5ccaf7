import { checkResponsesInput } from './openai-responses-input.ts';
import { checkKnown, checkRange, checkUnicode, isFields, isFilledText, Problems } from './shared.ts';
import type { Fields } from './shared.ts';

const MEMBERS = [
  'model', 'input', 'instructions', 'stream', 'store', 'include', 'max_output_tokens', 'max_tool_calls', 'temperature', 'top_p', 'top_logprobs', 'reasoning', 'text', 'tools', 'tool_choice',
  'parallel_tool_calls', 'previous_response_id', 'conversation', 'truncation', 'metadata', 'prompt_cache_key', 'prompt_cache_retention', 'service_tier', 'safety_identifier', 'user',
  'background', 'stream_options', 'prompt',
];

/** What the Responses API refuses (PROVIDERS §4), each rule with its place. Knows nothing of how our formatter works. */
export function validateOpenAIResponsesRequest(body: unknown): readonly string[] {
  const problems = new Problems();
  if (!isFields(body)) return ['body: an object'];
  checkUnicode(body, problems);
  checkKnown(body, MEMBERS, { problems, path: 'body' });
  problems.check(isFilledText(body['model']), 'model', 'the name of a model');
  const { stream, store, previous_response_id: previous, conversation } = body;
  for (const [name, value] of Object.entries({ stream, store })) problems.check(value === undefined || typeof value === 'boolean', name, 'true or false');
  problems.check(previous === undefined || conversation === undefined, 'body', 'previous_response_id or conversation, not both');
  checkSampling(body, problems);
  const declared = checkTools(body, problems);
  checkChoice(body['tool_choice'], declared, problems);
  problems.check(body['parallel_tool_calls'] === undefined || declared !== undefined, 'parallel_tool_calls', 'only beside tools');
  if (body['text'] !== undefined) checkText(body['text'], problems);
  checkResponsesInput(body['input'], { problems, isStored: store !== false, goesOn: previous !== undefined || conversation !== undefined });
  return problems.list;
}

const INCLUDES = ['reasoning.encrypted_content', 'message.output_text.logprobs', 'message.input_image.image_url', 'file_search_call.results', 'web_search_call.action.sources', 'computer_call_output.output.image_url', 'code_interpreter_call.outputs'];

function checkSampling(body: Fields, problems: Problems): void {
  checkRange(body['temperature'], [0, 2], { problems, path: 'temperature' });
  checkRange(body['top_p'], [0, 1], { problems, path: 'top_p' });
  checkRange(body['max_output_tokens'], [1, 1_000_000_000], { problems, path: 'max_output_tokens' });
  const { include, reasoning } = body;
  problems.check(include === undefined || (Array.isArray(include) && include.every((one) => INCLUDES.includes(String(one)))), 'include', 'values it knows');
  if (reasoning === undefined) return;
  if (!isFields(reasoning)) return problems.add('reasoning', 'an object');
  checkKnown(reasoning, ['effort', 'summary', 'generate_summary'], { problems, path: 'reasoning' });
  problems.check(reasoning['effort'] === undefined || ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'].includes(String(reasoning['effort'])), 'reasoning.effort', 'a word it knows');
  problems.check(reasoning['summary'] === undefined || ['auto', 'concise', 'detailed'].includes(String(reasoning['summary'])), 'reasoning.summary', 'auto, concise or detailed');
}

/** The declared names; nothing where there are no tools. */
function checkTools({ tools }: Fields, problems: Problems): ReadonlySet<unknown> | undefined {
  if (tools === undefined) return undefined;
  const names = new Set<unknown>();
  if (!problems.check(Array.isArray(tools) && tools.length > 0 && tools.length <= 128, 'tools', 'a list of 1 to 128')) return names;
  (tools as readonly unknown[]).forEach((tool, at) => {
    const path = `tools[${at}]`;
    if (!isFields(tool) || tool['type'] !== 'function') return problems.add(path, 'type is function');
    checkKnown(tool, ['type', 'name', 'description', 'parameters', 'strict'], { problems, path });
    problems.check(isFunctionName(tool['name']), path, 'a legal name');
    problems.check(!names.has(tool['name']), path, 'a name no other tool has');
    names.add(tool['name']);
    problems.check(typeof tool['strict'] === 'boolean', path, 'strict is said');
    const { parameters } = tool;
    if (!problems.check(isFields(parameters) && parameters['type'] === 'object', path, 'parameters are an object schema')) return;
    checkSchema(parameters, `${path}.parameters`, { problems, strict: tool['strict'] === true });
  });
  return names;
}

function isFunctionName(name: unknown): boolean {
  return typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name);
}

function checkSchema(schema: unknown, path: string, { problems, strict }: { problems: Problems; strict: boolean }): void {
  if (!isFields(schema)) return;
  if (schema['type'] === 'array') problems.check(isFields(schema['items']), path, 'a list says what it holds');
  const { properties } = schema;
  const fields = isFields(properties) ? properties : {};
  if (strict && (schema['type'] === 'object' || properties !== undefined)) {
    problems.check(schema['additionalProperties'] === false, path, 'strict: no further properties');
    const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
    problems.check(Object.keys(fields).every((name) => required.includes(name)), path, 'strict: every property is required');
  }
  if (strict) problems.check(schema['allOf'] === undefined && schema['oneOf'] === undefined && schema['patternProperties'] === undefined, path, 'strict: only keywords it takes');
  for (const [name, field] of Object.entries(fields)) checkSchema(field, `${path}.properties.${name}`, { problems, strict });
  checkSchema(schema['items'], `${path}.items`, { problems, strict });
  if (Array.isArray(schema['anyOf'])) schema['anyOf'].forEach((choice: unknown, at) => checkSchema(choice, `${path}.anyOf[${at}]`, { problems, strict }));
}

function checkChoice(choice: unknown, declared: ReadonlySet<unknown> | undefined, problems: Problems): void {
  if (choice === undefined) return;
  problems.check(declared !== undefined, 'tool_choice', 'only beside tools');
  if (typeof choice === 'string') return void problems.check(['auto', 'none', 'required'].includes(choice), 'tool_choice', 'auto, none or required');
  if (!isFields(choice)) return problems.add('tool_choice', 'a word or an object');
  const isAllowed = choice['type'] === 'allowed_tools';
  if (!problems.check(isAllowed || choice['type'] === 'function', 'tool_choice', 'type is function or allowed_tools')) return;
  if (isAllowed) problems.check(choice['mode'] === 'auto' || choice['mode'] === 'required', 'tool_choice', 'mode is auto or required');
  const names: readonly unknown[] = isAllowed ? (Array.isArray(choice['tools']) ? choice['tools'].map((tool: unknown) => (isFields(tool) ? tool['name'] : undefined)) : []) : [choice['name']];
  problems.check(names.length > 0 && names.every((name) => declared?.has(name) === true), 'tool_choice', 'names a declared tool');
}

function checkText(text: unknown, problems: Problems): void {
  const path = 'text.format';
  if (!isFields(text)) return problems.add('text', 'an object');
  checkKnown(text, ['format', 'verbosity'], { problems, path: 'text' });
  const { format } = text;
  if (format === undefined) return;
  if (!isFields(format) || !['text', 'json_object', 'json_schema'].includes(String(format['type']))) return problems.add(path, 'type is text, json_object or json_schema');
  if (format['type'] !== 'json_schema') return;
  checkKnown(format, ['type', 'name', 'schema', 'strict', 'description'], { problems, path });
  problems.check(isFunctionName(format['name']), path, 'a legal name');
  problems.check(format['strict'] === undefined || typeof format['strict'] === 'boolean', path, 'strict is true or false');
  if (!problems.check(isFields(format['schema']) && format['schema']['type'] === 'object', path, 'an object schema')) return;
  checkSchema(format['schema'], `${path}.schema`, { problems, strict: format['strict'] === true });
}
