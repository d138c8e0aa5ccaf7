import { AgentScopeError } from '../error/index.ts';
import { isObject } from '../internal/index.ts';
import { Toolkit } from '../tool/index.ts';
import type { ReActAgentOptions } from './options.ts';

/** @throws AgentScopeError `config/invalid`, naming the option */
export function checkOptions(options: ReActAgentOptions): void {
  if (!isObject(options)) throw invalidOption('name', 'An agent is made from one options object: new ReActAgent({ name, model }).');
  const stranger = Object.keys(options).find((option) => !Object.hasOwn(KNOWN, option));
  if (stranger !== undefined) throw invalidOption(stranger, `An agent has no option "${stranger}". Its options are: ${Object.keys(KNOWN).join(', ')}.`);
  for (const [option, isFine, what] of CHECKS) {
    const value = options[option];
    if ((value !== undefined || option === 'name') && !isFine(value)) throw invalidOption(option, `${option} must be ${what}.`);
  }
}

export function invalidOption(option: string, message: string): AgentScopeError {
  return new AgentScopeError('config/invalid', message, { details: { option } });
}

type Check = readonly [option: keyof ReActAgentOptions, isFine: (value: unknown) => boolean, what: string];

const isText = (value: unknown): boolean => typeof value === 'string';
const isStore = (value: unknown): boolean => isObject(value) && ['append', 'read', 'lease'].every((name) => typeof value[name] === 'function');
const LIMITS: readonly string[] = ['timeMs', 'tokens', 'calls'];
const isLimits = (value: unknown): boolean => isObject(value) && Object.entries(value).every(([name, limit]) => LIMITS.includes(name) && (limit === undefined || Number(limit) > 0) && typeof limit !== 'string');
/** What an option must be when it is given. The types say the same; this is for those who come without them. */
const CHECKS: readonly Check[] = [
  ['name', (value) => isText(value) && value !== '', 'a text that is not empty'],
  ['id', isText, 'a text'],
  ['fallbackModel', (value) => (isText(value) && value !== '') || (isObject(value) && typeof value['stream'] === 'function'), 'a ChatModel, or an id like "openai:gpt-5.5"'],
  ['description', isText, 'a text'],
  ['sysPrompt', isText, 'a text'],
  ['toolkit', (value) => value instanceof Toolkit || Array.isArray(value), 'a Toolkit, or a list of tools made with defineTool'],
  ['session', isStore, 'a session store: InMemorySession, JsonSession, or what defineSession gives'],
  ['defaultSessionId', isText, 'a text'],
  ['maxIters', (value) => Number.isInteger(value) && Number(value) >= 1, 'a whole number of at least 1'],
  ['generateOptions', isObject, 'an object'],
  ['permission', isObject, 'an object: { mode, allow, ask, deny }'],
  ['stopOnReject', (value) => typeof value === 'boolean', 'true or false'],
  ['limits', isLimits, 'an object of timeMs, tokens and calls, each a number above 0'],
  ['onWarning', (value) => typeof value === 'function', 'a function that takes a text'],
  ['clock', (value) => typeof value === 'function', 'a function that gives milliseconds'],
];
/** Every option there is; the type keeps the list whole. */
const KNOWN: Readonly<Record<keyof ReActAgentOptions, true>> = {
  name: true,
  model: true,
  id: true,
  description: true,
  sysPrompt: true,
  toolkit: true,
  session: true,
  defaultSessionId: true,
  memory: true,
  middleware: true,
  fallbackModel: true,
  hooks: true,
  maxIters: true,
  generateOptions: true,
  concurrency: true,
  durability: true,
  maxInlineBytes: true,
  maxOpenSessions: true,
  onOpenReply: true,
  onUnknownOutcome: true,
  permission: true,
  structuredOutput: true,
  stopOnReject: true,
  limits: true,
  onWarning: true,
  clock: true,
};
