import type { Clock } from '../internal/index.ts';
import type { ChatModel, GenerateOptions, ModelId } from '../model/index.ts';
import type { PermissionOptions } from '../permission/index.ts';
import type { Hook } from '../hook/index.ts';
import type { Middleware } from '../middleware/index.ts';
import type { Durability, Session } from '../session/index.ts';
import type { AnyTool, Toolkit } from '../tool/index.ts';
import type { ReplyLimits } from './budget.ts';
import type { MemoryOption } from './memory-option.ts';

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
  /**
   * What tools may do. Left out: tools run unless their own `checkPermission` objects, or a rule of the session. Given, even `{}`:
   * AgentScope's full order, ending in *ask*. The mode and remembered rules of a session come on top; see the guide on permissions.
   */
  readonly permission?: PermissionOptions | undefined;
  /**
   * How a call with a `schema` gets its data. `auto`: by the provider where the model keeps to a schema, else by the tool
   * `generate_response`; where a way is refused or the answer does not fit, the next one down. `native`: by the provider only. `tool`: never
   * by the provider. Default `'auto'`.
   */
  readonly structuredOutput?: 'auto' | 'native' | 'tool' | undefined;
  /** Ends a reply (`ALL_TOOLS_DENIED`) when every call of a step was denied, one of them by a person. Default false: the model is told and goes on. */
  readonly stopOnReject?: boolean | undefined;
  /**
   * Time, tokens and model calls of one reply. A reply that reaches one pauses with `MIDDLEWARE_STOP_REQUESTED`; REQUEST_STOP and
   * `metadata.agentscope_stop` of the message say which. `agent.with({ limits }).call()` goes on with more. Default none.
   */
  readonly limits?: ReplyLimits | undefined;
  /** Wraps what the agent does, stage by stage: messages, model calls, tools, events. See the guide on middleware. Default none. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** Asked when the model fails, also in the middle of its answer, which is taken back then: short for `modelFallback` inside all middleware. Default none. */
  readonly fallbackModel?: ChatModel | ModelId | undefined;
  /** AgentScope 1's way to look at what happens and to change it, outside of all middleware. Default none. */
  readonly hooks?: readonly Hook[] | undefined;
  /** Told what may be a mistake in the options, once: a permission rule for a tool that is not there. Default: `process.emitWarning`, where there is one. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Milliseconds since the epoch, for the times of events and usage. Default `Date.now`. */
  readonly clock?: Clock | undefined;
}
