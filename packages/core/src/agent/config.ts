import type { Clock } from '../internal/index.ts';
import { SystemMessage } from '../message/index.ts';
import type { Msg } from '../message/index.ts';
import { ModelRegistry } from '../model/index.ts';
import type { ChatModel, GenerateOptions, ModelId } from '../model/index.ts';
import { InMemorySession, MAX_INLINE_BYTES, MAX_OPEN_SESSIONS } from '../session/index.ts';
import type { Durability, JournalOptions, Session } from '../session/index.ts';
import { Toolkit } from '../tool/index.ts';
import type { AnyTool } from '../tool/index.ts';
import { createMemories } from './memory-option.ts';
import type { Memories, MemoryOption } from './memory-option.ts';
import { checkOptions, invalidOption as invalid } from './check-options.ts';

export interface ReActAgentOptions {
  /** Also the name of its messages, and the default of `id` and `defaultSessionId`. Only an agent of the same name resumes a reply. */
  readonly name: string;
  /** A model, or an id like `'openai:gpt-5.5'`, resolved by `ModelRegistry` at the first call. */
  readonly model: ChatModel | ModelId;
  /** Default: the name. */
  readonly id?: string | undefined;
  /** For other agents that may call this one. Default none. */
  readonly description?: string | undefined;
  /** Stands before every conversation; never stored. Default none. */
  readonly sysPrompt?: string | undefined;
  /** An array is short for `new Toolkit([...])`. Default: no tools. */
  readonly toolkit?: Toolkit | readonly AnyTool[] | undefined;
  /** Where conversations live (v1's word for the store). Default: one `InMemorySession` of this agent's own. */
  readonly session?: Session | undefined;
  /** The conversation of calls without a `sessionId`. Default: the name, as in Java. */
  readonly defaultSessionId?: string | undefined;
  /**
   * What the model is shown instead of the session's context (v1's word): `getMessages()`, then the running reply. Inputs and ended
   * replies are given to `addMessage`; the journal stays the record. One memory serves the default session only (another one is
   * `config/invalid`); a function is asked once for each session, and what it made is kept as long as the agent. What a memory throws
   * fails the call. Default: the session's own context.
   */
  readonly memory?: MemoryOption | undefined;
  /** Model calls of one reply, 1 or more; then one summary without tools ends it with `MAX_ITERATIONS`. Default 10. */
  readonly maxIters?: number | undefined;
  /** Sampling and the like, for every call. Default: the model's. */
  readonly generateOptions?: GenerateOptions | undefined;
  /** A second call to a session that is busy: waits its turn, is refused (`agent/busy`), or interrupts the first. Default `'queue'`. */
  readonly concurrency?: 'queue' | 'reject' | 'interrupt' | undefined;
  /** What a killed process may lose (DESIGN §4). Default `'step'`: unsaved deltas of the running model call. */
  readonly durability?: Durability | undefined;
  /** An output of a tool with more bytes than this is kept in an entry of its own, out of the way of who reads events. Default 262 144. */
  readonly maxInlineBytes?: number | undefined;
  /**
   * Sessions of the store that stay in memory while nobody uses them, those used longest ago let go first; 0 or more. One in use is
   * never let go. Where agents share a store, the newest one's number counts. Default 256.
   */
  readonly maxOpenSessions?: number | undefined;
  /**
   * A new message while a reply is open. `auto`: open questions are closed and a new reply begins, outside work is waited for
   * (`agent/waiting`); `close` closes both; `reject` refuses both (`agent/reply-open`). An answer, or no input, always continues the
   * open reply. Default `'auto'`.
   */
  readonly onOpenReply?: 'auto' | 'close' | 'reject' | undefined;
  /**
   * After a crash in the middle of a `once` tool that cannot say what became of it (`reconcile`): `tell` gives the model a result that
   * says so; `ask` asks a person first: *yes* runs it again, *no* leaves it. Default `'tell'`.
   */
  readonly onUnknownOutcome?: 'tell' | 'ask' | undefined;
  /** Milliseconds since the epoch, for the times of events and usage. Default `Date.now`. */
  readonly clock?: Clock | undefined;
}

/** The options with their defaults, checked. */
export interface AgentConfig {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly system: Msg | undefined;
  readonly toolkit: Toolkit;
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
  readonly clock: Clock;
  /** The model, resolved once; a failed attempt is tried again. */
  model(): Promise<ChatModel> | ChatModel;
}

const MAX_REPAIRS = 2;

/** @throws AgentScopeError `config/invalid`, naming the option. */
export function agentConfig(options: ReActAgentOptions): AgentConfig {
  checkOptions(options);
  const { name, maxIters = 10, toolkit = [], sysPrompt } = options;
  return {
    id: options.id ?? name,
    name,
    description: options.description ?? '',
    system: sysPrompt === undefined || sysPrompt === '' ? undefined : new SystemMessage({ name: 'system', content: sysPrompt, timestamp: null }),
    toolkit: toolkit instanceof Toolkit ? toolkit : new Toolkit(toolkit),
    session: options.session ?? new InMemorySession(),
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
    clock: options.clock ?? Date.now,
    model: modelOf(options.model),
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
