import type { CustomEvent } from '../event/index.ts';
import type { Awaitable, JsonObject, JsonSchema } from '../internal/index.ts';
import type { ContentBlock, GenerateReason, Metadata, ToolResultState } from '../message/index.ts';
import type { PermissionDecision } from '../permission/index.ts';
import type { RuntimeContext, StateSlots } from '../state/index.ts';

/** What running a tool twice would mean (DESIGN §4): nothing, nothing with the same key, or harm. */
export type Effect = 'read' | 'keyed' | 'once';

/** One piece of output. A string is text. */
export type ToolChunk = string | ContentBlock;
export type ToolCustomEvent = Pick<CustomEvent, 'type' | 'name' | 'value'>;

export interface ToolContext {
  /** Aborted on interrupt, on the caller's abort and on the tool's own time-out. */
  readonly signal: AbortSignal;
  readonly userId: string | undefined;
  readonly sessionId: string;
  readonly toolCallId: string;
  /** The same after a crash: made from session, reply, model call and position, for tools with an effect also from the arguments (a hash then). */
  readonly idempotencyKey: string;
  /**
   * Shows output while the tool runs (it becomes part of the result), or raises a `CUSTOM` event (it does not). What is emitted is copied.
   *
   * @throws TypeError for what may not go on record: not JSON-safe, or no block; uncaught, it is the tool's `error` result
   */
  emit(chunk: ToolChunk | ToolCustomEvent): void;
  /** The result is kept, then the reply pauses with this reason. */
  requestStop(reason: string, generateReason?: GenerateReason): void;
  /** What is set is journaled in one append with the result: both or neither. Values are copied, set and got; `set` throws a TypeError for what is not JSON-safe. */
  readonly state: StateSlots;
  readonly context: RuntimeContext;
}

/** What a tool gives back, whole. Made by `toolResult(…)`; anything else a tool returns is turned into one. */
export interface ToolOutput {
  readonly content: readonly ContentBlock[];
  readonly state: ToolResultState;
  readonly metadata: Metadata;
}

/** The arguments a tool will see, or what is wrong with them, said so that a model can mend it. */
export type ParsedInput = { readonly ok: true; readonly input: unknown } | { readonly ok: false; readonly message: string };

/** Where output goes while a tool runs. */
export type ToolSink = (piece: ContentBlock | ToolCustomEvent) => void;

export interface Tool<N extends string = string, I = JsonObject, O = unknown> {
  readonly name: N;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly effect: Effect;
  readonly readOnly: boolean;
  readonly concurrencySafe: boolean;
  readonly external: boolean;
  readonly strict: boolean;
  /** Milliseconds. Default 120 000. */
  readonly timeoutMs: number;
  /** The agent it asks, where it asks one (`agentAsTool`): its events and its questions are shown through the reply that calls the tool. */
  readonly agent?: object;
  /** For unit tests: validates, then runs it with a context made of defaults. */
  run(input: I, context?: Partial<ToolContext>): Promise<O>;
  /** Validates arguments against the schema; defaults and transforms applied. Explicit `null` counts as left out where the schema forbids null and allows leaving out. */
  parseInput(input: JsonObject): Promise<ParsedInput>;
  /** The tool's own opinion on arguments that were parsed. */
  checkPermission(input: unknown, context: ToolContext): Promise<PermissionDecision>;
  /** Whether the content of a permission rule is about these arguments, as the model wrote them. Absent: the usual comparison. */
  matchRule?(content: string, input: JsonObject): boolean;
  /**
   * Runs it on parsed arguments. Output that comes early goes to `sink` as it comes; the result holds only what `sink` has not had
   * (`content` is appended to it). Never rejects: a throw, a time-out or an abort is a result with state `error` or `interrupted`.
   */
  execute(input: unknown, context: Omit<ToolContext, 'emit'>, sink: ToolSink): Promise<ToolOutput>;
  /** Asked after a crash for a `once` tool that had started; nothing: unknown. */
  reconcile?(input: unknown, context: ToolContext): Awaitable<Reconciled>;
}

/**
 * What became of a run that a crash cut off: it is done, with this output; it never began, so it runs now; nobody can know. Short:
 * the output alone (text, or `toolResult(…)`) means done, nothing means unknown.
 */
export type Reconciled =
  | { readonly status: 'done'; readonly output: unknown }
  | { readonly status: 'notStarted' }
  | { readonly status: 'unknown' }
  | ToolOutput
  | string
  | undefined;

/** Any tool, whatever its arguments: a method parameter is bivariant, so `Tool<'x', { city: string }>` fits. */
// oxlint-disable-next-line typescript/no-explicit-any -- see above
export type AnyTool = Tool<string, any, any>;
