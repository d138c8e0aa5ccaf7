import { checkDashScopeMessages } from './dashscope-messages.ts';
import { checkKnown, checkRange, checkUnicode, isFields, isFilledText, Problems } from './shared.ts';
import type { Fields, RequestValidator } from './shared.ts';

/**
 * Judges the body of a request in DashScope's own protocol (PROVIDERS §1.7 and §2), for the text endpoint where contents are texts, for
 * the multimodal one where they are lists. Knows nothing of how our formatter works.
 */
export const validateDashScopeRequest: RequestValidator = (body) => {
  const problems = new Problems();
  if (!isFields(body)) return ['body: a JSON object'];
  checkUnicode(body, problems);
  checkKnown(body, ['model', 'input', 'parameters'], { problems, path: 'body' });
  problems.check(isFilledText(body['model']), 'model', 'the name of a model');
  const { input, parameters } = body;
  if (problems.check(isFields(parameters), 'parameters', 'an object') && isFields(parameters)) checkParameters(parameters, JSON.stringify(input ?? null), problems);
  if (!problems.check(isFields(input), 'input', 'an object with messages') || !isFields(input)) return problems.list;
  checkKnown(input, ['messages'], { problems, path: 'input' });
  checkDashScopeMessages(input['messages'], problems);
  return problems.list;
};

const SWITCHES = ['incremental_output', 'enable_thinking', 'preserve_thinking', 'enable_search', 'enable_code_interpreter', 'parallel_tool_calls', 'tool_stream'];
const COUNTS = ['max_tokens', 'max_completion_tokens', 'thinking_budget', 'top_k', 'n'];
const OTHERS = ['result_format', 'temperature', 'top_p', 'stop', 'seed', 'presence_penalty', 'repetition_penalty', 'reasoning_effort', 'search_options', 'tools', 'tool_choice', 'response_format'];

function checkParameters(parameters: Fields, said: string, problems: Problems): void {
  const path = 'parameters';
  checkKnown(parameters, [...SWITCHES, ...COUNTS, ...OTHERS], { problems, path });
  problems.check(parameters['result_format'] === 'message', `${path}.result_format`, 'message');
  for (const name of SWITCHES) problems.check(parameters[name] === undefined || typeof parameters[name] === 'boolean', `${path}.${name}`, 'true or false');
  for (const name of COUNTS) problems.check(parameters[name] === undefined || (Number.isInteger(parameters[name]) && Number(parameters[name]) > 0), `${path}.${name}`, 'a positive whole number');
  checkRange(parameters['temperature'], [0, 2], { problems, path: `${path}.temperature` });
  problems.check(parameters['temperature'] !== 2, `${path}.temperature`, 'below 2');
  checkRange(parameters['top_p'], [0, 1], { problems, path: `${path}.top_p` });
  problems.check(parameters['top_p'] !== 0, `${path}.top_p`, 'above 0');
  checkRange(parameters['presence_penalty'], [-2, 2], { problems, path: `${path}.presence_penalty` });
  problems.check(parameters['seed'] === undefined || Number.isInteger(parameters['seed']), `${path}.seed`, 'a whole number');
  problems.check(parameters['reasoning_effort'] === undefined || isFilledText(parameters['reasoning_effort']), `${path}.reasoning_effort`, 'a word');
  checkThinking(parameters, problems);
  checkTools(parameters, problems);
  checkFormat(parameters, said, problems);
}

function checkThinking(parameters: Fields, problems: Problems): void {
  const thinks = parameters['enable_thinking'] === true;
  problems.check(!thinks || parameters['incremental_output'] === true, 'parameters.enable_thinking', 'only with incremental output');
  problems.check(parameters['thinking_budget'] === undefined || parameters['enable_thinking'] !== false, 'parameters.thinking_budget', 'only while thinking');
  problems.check(!thinks || !isFields(parameters['tool_choice']), 'parameters.tool_choice', 'auto or none while thinking');
  problems.check(!thinks || parameters['response_format'] === undefined, 'parameters.response_format', 'not while thinking');
}

function checkTools(parameters: Fields, problems: Problems): void {
  const { tools, tool_choice: choice } = parameters;
  if (tools === undefined) {
    problems.check(choice === undefined, 'parameters.tool_choice', 'only with tools');
    return void problems.check(parameters['parallel_tool_calls'] === undefined, 'parameters.parallel_tool_calls', 'only with tools');
  }
  if (!problems.check(Array.isArray(tools) && tools.length > 0, 'parameters.tools', 'a list that is not empty, or nothing')) return;
  const names = (tools as readonly unknown[]).map((tool, at) => checkTool(tool, `parameters.tools[${at}]`, problems));
  problems.check(new Set(names).size === names.length, 'parameters.tools', 'each name once');
  problems.check(parameters['n'] === undefined || parameters['n'] === 1, 'parameters.n', 'one answer where there are tools');
  if (choice === undefined || choice === 'auto' || choice === 'none') return;
  const fn = isFields(choice) && choice['type'] === 'function' ? choice['function'] : undefined;
  problems.check(isFields(fn) && names.includes(fn['name']), 'parameters.tool_choice', 'auto, none, or a tool of the request: there is no required');
}

function checkTool(tool: unknown, path: string, problems: Problems): unknown {
  const fn = isFields(tool) ? tool['function'] : undefined;
  if (!isFields(tool) || tool['type'] !== 'function' || !isFields(fn)) return problems.add(path, 'a function');
  checkKnown(tool, ['type', 'function'], { problems, path });
  checkKnown(fn, ['name', 'description', 'parameters'], { problems, path: `${path}.function` });
  problems.check(isToolName(fn['name']), `${path}.function.name`, 'letters, digits, _ and -, at most 64, and not "search"');
  problems.check(fn['description'] === undefined || typeof fn['description'] === 'string', `${path}.function.description`, 'a text');
  problems.check(isFields(fn['parameters']) && fn['parameters']['type'] === 'object', `${path}.function.parameters`, 'a schema with an object at the root');
  return fn['name'];
}

function isToolName(name: unknown): boolean {
  return typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name) && name !== 'search';
}

function checkFormat({ response_format: format }: Fields, said: string, problems: Problems): void {
  if (format === undefined) return;
  const path = 'parameters.response_format';
  const type = isFields(format) ? format['type'] : undefined;
  if (!problems.check(['text', 'json_object', 'json_schema'].includes(String(type)), `${path}.type`, 'text, json_object or json_schema') || !isFields(format)) return;
  if (type === 'json_object') problems.check(/json/i.test(said), path, 'the word "json" stands in the messages');
  if (type !== 'json_schema') return;
  const described = format['json_schema'];
  problems.check(isFields(described) && isFilledText(described['name']) && /^[a-zA-Z0-9_-]{1,64}$/.test(described['name']), `${path}.json_schema.name`, 'letters, digits, _ and -, at most 64');
  problems.check(isFields(described) && isFields(described['schema']) && described['schema']['type'] === 'object', `${path}.json_schema.schema`, 'an object at the root');
}
