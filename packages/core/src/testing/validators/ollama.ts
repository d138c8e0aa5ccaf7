import { checkOllamaMessages } from './ollama-messages.ts';
import { checkKnown, checkRange, checkUnicode, isFields, isFilledText, Problems } from './shared.ts';
import type { Fields, RequestValidator } from './shared.ts';

/**
 * Judges the body of a request to Ollama's `/api/chat` (PROVIDERS §1.7 and §7): what the server refuses, and what it takes and then
 * drops without a word. Knows nothing of how our formatter works.
 */
export const validateOllamaRequest: RequestValidator = (body) => {
  const problems = new Problems();
  if (!isFields(body)) return ['body: a JSON object'];
  checkUnicode(body, problems);
  checkKnown(body, ['model', 'messages', 'stream', 'tools', 'think', 'format', 'keep_alive', 'options', 'truncate', 'shift', 'logprobs', 'top_logprobs'], { problems, path: 'body' });
  problems.check(isFilledText(body['model']), 'model', 'the name of a model');
  problems.check(typeof body['stream'] === 'boolean', 'stream', 'true or false, since left out it is true');
  checkWays(body, problems);
  checkOptions(body['options'], problems);
  checkTools(body['tools'], problems);
  checkOllamaMessages(body['messages'], problems);
  return problems.list;
};

function checkWays({ think, format, keep_alive: keepAlive, tools }: Fields, problems: Problems): void {
  problems.check(think === undefined || typeof think === 'boolean' || ['low', 'medium', 'high'].includes(String(think)), 'think', 'true, false, low, medium or high');
  problems.check(format === undefined || format === 'json' || isFields(format), 'format', '"json" or a schema');
  problems.check(format === undefined || tools === undefined, 'format', 'not beside tools, which could not be called');
  problems.check(keepAlive === undefined || typeof keepAlive === 'number' || (typeof keepAlive === 'string' && /^-?(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h))+$/.test(keepAlive)), 'keep_alive', 'seconds, or a time with its unit');
}

const WHOLE = ['num_predict', 'num_ctx', 'top_k', 'seed', 'repeat_last_n', 'num_keep', 'num_batch', 'num_gpu', 'main_gpu', 'num_thread'];
const FRACTIONS = ['temperature', 'top_p', 'min_p', 'typical_p', 'repeat_penalty', 'presence_penalty', 'frequency_penalty'];

function checkOptions(options: unknown, problems: Problems): void {
  if (options === undefined) return;
  const path = 'options';
  if (!isFields(options)) return problems.add(path, 'an object');
  checkKnown(options, [...WHOLE, ...FRACTIONS, 'stop', 'use_mmap', 'numa', 'penalize_newline'], { problems, path });
  for (const name of WHOLE) problems.check(options[name] === undefined || Number.isInteger(options[name]), `${path}.${name}`, 'a whole number');
  for (const name of FRACTIONS) problems.check(options[name] === undefined || typeof options[name] === 'number', `${path}.${name}`, 'a number');
  checkRange(options['top_p'], [0, 1], { problems, path: `${path}.top_p` });
  checkRange(options['num_ctx'], [1, 100_000_000], { problems, path: `${path}.num_ctx` });
  const { stop } = options;
  problems.check(stop === undefined || (Array.isArray(stop) && stop.every((one: unknown) => typeof one === 'string')), `${path}.stop`, 'a list of texts');
}

function checkTools(tools: unknown, problems: Problems): void {
  if (tools === undefined) return;
  if (!problems.check(Array.isArray(tools) && tools.length > 0, 'tools', 'a list that is not empty, or nothing')) return;
  const names = (tools as readonly unknown[]).map((tool, at) => checkTool(tool, `tools[${at}]`, problems));
  problems.check(new Set(names).size === names.length, 'tools', 'each name once');
}

function checkTool(tool: unknown, path: string, problems: Problems): unknown {
  const fn = isFields(tool) ? tool['function'] : undefined;
  if (!isFields(tool) || tool['type'] !== 'function' || !isFields(fn)) return problems.add(path, 'a function');
  checkKnown(tool, ['type', 'function'], { problems, path });
  checkKnown(fn, ['name', 'description', 'parameters'], { problems, path: `${path}.function` });
  problems.check(typeof fn['name'] === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(fn['name']), `${path}.function.name`, 'letters, digits, _ and -, at most 64');
  problems.check(fn['description'] === undefined || typeof fn['description'] === 'string', `${path}.function.description`, 'a text');
  problems.check(isFields(fn['parameters']) && fn['parameters']['type'] === 'object', `${path}.function.parameters`, 'a schema with an object at the root');
  return fn['name'];
}
