import type { Clock } from '../internal/index.ts';
import { SystemMessage } from '../message/index.ts';
import type { Msg } from '../message/index.ts';
import { ModelRegistry } from '../model/index.ts';
import type { ChatModel, GenerateOptions, ModelId } from '../model/index.ts';
import type { PermissionEngine, PermissionOptions } from '../permission/index.ts';
import { InMemorySession, MAX_INLINE_BYTES, MAX_OPEN_SESSIONS } from '../session/index.ts';
import type { Durability, JournalOptions, Session } from '../session/index.ts';
import { HookRegistry, modelFallback, wrapsOf } from '../middleware/index.ts';
import type { Wraps } from '../middleware/index.ts';
import { Toolkit } from '../tool/index.ts';
import type { ReplyLimits } from './budget.ts';
import { createMemories } from './memory-option.ts';
import type { Memories } from './memory-option.ts';
import { basePolicy } from './base-policy.ts';
import type { StructuredMode } from './ladder.ts';
import { warnOfUnknownTools } from './unknown-tools.ts';
import { checkOptions, invalidOption as invalid } from './check-options.ts';
import { madeUp } from './made-up-store.ts';
import type { ReActAgentOptions } from './options.ts';

/** The options with their defaults, checked. */
export interface AgentConfig {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly system: Msg | undefined;
  readonly toolkit: Toolkit;
  /** Without the tools that middleware brings along. */
  readonly ownToolkit: Toolkit;
  readonly session: Session;
  readonly defaultSessionId: string;
  readonly memories: Memories | undefined;
  readonly maxIters: number;
  readonly maxRepairs: number;
  readonly generateOptions: GenerateOptions | undefined;
  readonly concurrency: 'queue' | 'reject' | 'interrupt';
  readonly durability: Durability;
  readonly maxInlineBytes: number;
  readonly maxOpenSessions: number;
  readonly onOpenReply: 'auto' | 'close' | 'reject';
  readonly onUnknownOutcome: 'tell' | 'ask';
  readonly permission: PermissionOptions | undefined;
  /** The agent's own rules, where a session has none. */
  readonly policy: PermissionEngine;
  readonly structuredOutput: StructuredMode;
  readonly stopOnReject: boolean;
  readonly limits: ReplyLimits | undefined;
  /** Middleware and hooks as they are now, by what they wrap; undefined: there are none. */
  wraps(): Wraps | undefined;
  /** Hooks that were registered by name. */
  readonly hooks: HookRegistry;
  readonly clock: Clock;
  /** Says once what may be a mistake; asked when the tools are loaded. */
  warn(): void;
  /** The model, resolved once; a failed attempt is tried again. */
  model(): Promise<ChatModel> | ChatModel;
}

const MAX_REPAIRS = 2;

/** @throws AgentScopeError `config/invalid`, naming the option. */
export function agentConfig(options: ReActAgentOptions): AgentConfig {
  checkOptions(options);
  const { name, maxIters = 10, toolkit: tools = [], sysPrompt, permission, clock = Date.now } = options;
  const hooks = new HookRegistry();
  const wraps = wrapsWith(options, hooks, clock);
  const brought = wraps()?.tools ?? [];
  const own = tools instanceof Toolkit ? tools : new Toolkit(tools);
  const toolkit = brought.length > 0 ? own.plus(brought) : own;
  const policy = basePolicy(permission, clock);
  return {
    id: options.id ?? name,
    name,
    description: options.description ?? '',
    system: sysPrompt === undefined || sysPrompt === '' ? undefined : new SystemMessage({ name: 'system', content: sysPrompt, timestamp: null }),
    toolkit,
    ownToolkit: own,
    session: options.session ?? madeUp(new InMemorySession()),
    defaultSessionId: options.defaultSessionId ?? name,
    memories: options.memory && createMemories(options.memory, options.defaultSessionId ?? name),
    maxIters,
    maxRepairs: MAX_REPAIRS,
    generateOptions: options.generateOptions,
    concurrency: oneOf('concurrency', options.concurrency ?? 'queue', ['queue', 'reject', 'interrupt']),
    maxInlineBytes: wholeNumber('maxInlineBytes', options.maxInlineBytes ?? MAX_INLINE_BYTES),
    maxOpenSessions: wholeNumber('maxOpenSessions', options.maxOpenSessions ?? MAX_OPEN_SESSIONS),
    durability: oneOf('durability', options.durability ?? 'step', ['delta', 'step', 'reply', 'none']),
    onOpenReply: oneOf('onOpenReply', options.onOpenReply ?? 'auto', ['auto', 'close', 'reject']),
    onUnknownOutcome: oneOf('onUnknownOutcome', options.onUnknownOutcome ?? 'tell', ['tell', 'ask']),
    permission,
    policy,
    structuredOutput: oneOf('structuredOutput', options.structuredOutput ?? 'auto', ['auto', 'native', 'tool']),
    stopOnReject: options.stopOnReject ?? false,
    limits: options.limits,
    wraps,
    hooks,
    clock,
    warn: once(() => warnOfUnknownTools(policy, toolkit, options.onWarning)),
    model: modelOf(options.model),
  };
}

/** Of all agents of a process: v1's class hooks. */
export const CLASS_HOOKS: HookRegistry = new HookRegistry();

/** Made once, and again when a hook was registered since. */
function wrapsWith({ middleware = [], hooks = [], fallbackModel }: ReActAgentOptions, own: HookRegistry, clock: Clock): () => Wraps | undefined {
  const all = fallbackModel === undefined ? middleware : [...middleware, { ...modelFallback({ models: [fallbackModel] }), order: -Infinity }];
  let made = wrapsOf({ middleware: all, hooks, clock });
  let version = 0;
  return () => {
    const now = own.version + CLASS_HOOKS.version;
    if (now !== version) made = wrapsOf({ middleware: all, hooks: [...hooks, ...own.hooks(), ...CLASS_HOOKS.hooks()], clock });
    version = now;
    return made;
  };
}

/** Again from the beginning when it throws. */
function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    work();
    done = true;
  };
}

function modelOf(model: ChatModel | ModelId): AgentConfig['model'] {
  if (typeof model !== 'string') {
    if (typeof model?.stream !== 'function') throw invalid('model', 'An agent needs a model: a ChatModel, or an id like "openai:gpt-5.5".');
    return () => model;
  }
  let resolved: Promise<ChatModel> | undefined;
  return () => {
    resolved ??= ModelRegistry.resolve(model).catch((error: unknown) => {
      resolved = undefined;
      throw error;
    });
    return resolved;
  };
}

/** How the agent opens a journal. */
export function journalOptions({ durability, clock, maxInlineBytes, maxOpenSessions }: AgentConfig): JournalOptions {
  return { durability, clock, maxInlineBytes, maxOpenSessions };
}

function wholeNumber(option: string, value: number): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw invalid(option, `${option} must be a whole number of at least 0, not ${String(value)}.`);
}

function oneOf<T extends string>(option: string, value: T, allowed: readonly T[]): T {
  if (allowed.includes(value)) return value;
  throw invalid(option, `${option} must be one of ${allowed.join(', ')}, not ${JSON.stringify(value)}.`);
}
