import type { AgentEvent, ExternalExecutionResultEvent, UserConfirmResultEvent } from '../event/index.ts';
import type { Infer, Schema } from '../internal/index.ts';
import type { GenerateOptions } from '../model/index.ts';
import type { Content, Msg, MsgData, UserBlock } from '../message/index.ts';
import type { SessionKey } from '../session/index.ts';
import type { ContextEntry } from '../state/index.ts';

/** An answer to a pause is input like any other. Made by `approve`, `deny`, `provide`. */
export type Answer = UserConfirmResultEvent | ExternalExecutionResultEvent;

/**
 * Text, a block, strings and blocks in order, one message or several, one answer or several, or nothing: go on from what the session
 * holds (a member of a hub, answers given elsewhere, a crash). An empty list or empty text is `message/invalid`.
 */
export type AgentInput = Content<UserBlock> | MsgData | readonly MsgData[] | Answer | readonly Answer[] | undefined;

export interface RunOptions<S extends Schema = Schema> {
  /** Aborted: the reply ends as `INTERRUPTED` in the session, and the promise rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined;
  /** Values for tools, for this call only: `[clusterOf.of(cluster)]`. */
  readonly context?: readonly ContextEntry[] | undefined;
  /**
   * The answer as data: a Standard Schema (zod, Valibot, ArkType) with a JSON form, or a JSON Schema. The reply then ends with
   * `STRUCTURED_OUTPUT` and `getStructuredData()` has it; `agent/structured-output-invalid` when no answer fits, `model/refused` when the
   * model refuses. It is on record as JSON Schema, so a paused reply ends structured also where the next call does not bring it; bring
   * it for its own checks and transforms. `config/invalid` before anything is stored when it has no JSON form.
   */
  readonly schema?: S | undefined;
  /** Merged over the agent's own; the call wins. */
  readonly generateOptions?: GenerateOptions | undefined;
  /**
   * Rules that come with answers count whatever they say. Default false: only those their question suggested, since answers come from
   * pages and queues. `session.confirm` trusts its caller.
   */
  readonly trustAnswers?: boolean | undefined;
}
export interface CallOptions<S extends Schema = Schema> extends RunOptions<S>, SessionKey {}
export interface SessionStreamOptions<S extends Schema = Schema> extends RunOptions<S> {
  /** Leaving the loop early interrupts the reply; with `true` it goes on by itself. Default false. */
  readonly detach?: boolean | undefined;
}
export interface StreamOptions<S extends Schema = Schema> extends SessionStreamOptions<S>, SessionKey {}

/** What the answer holds as data. No schema given: nothing is known about it. */
export type SchemaData<S> = Schema extends S ? unknown : Infer<S>;

/**
 * The events of one reply as they come. Lazy: it runs when iterated, or when one of its members is asked for; not thenable. Leaving
 * the loop early interrupts the reply and waits until it has ended (or lets it go on, with `detach`).
 */
export interface EventStream<Data = unknown> extends AsyncIterable<AgentEvent> {
  /** The folded message. Asking for it starts the run, also when nobody iterates. Never an unhandled rejection. */
  readonly result: Promise<Msg<Data>>;
  /** Fulfilled once the input is durable: the moment to answer 202. Never an unhandled rejection. */
  readonly accepted: Promise<Accepted>;
  /** The agent's own text as it comes, children and thinking left out. */
  text(): AsyncIterable<string>;
}
export interface Accepted {
  readonly replyId: string;
  /** Number of the journal's last entry at that moment. */
  readonly seq: number;
}

export interface InterruptOptions {
  /** Put into the conversation as the user's words, after the reply that was stopped (Java's `interrupt(msg)`). */
  readonly message?: string | MsgData | undefined;
}
export interface InterruptReceipt {
  /** The reply that was stopped, or that another process was asked to stop; null if none was running. */
  readonly replyId: string | null;
}
export interface SteerReceipt {
  /** Of the message. */
  readonly id: string;
  /** Takes it back: true when nobody had read it, and now nobody will. False if it was already read. */
  revoke(): Promise<boolean>;
}

/** The contract a hub, a pipeline or a server needs. Your own agent is four methods. */
export interface Agent {
  readonly id: string;
  readonly name: string;
  /** Runs one reply to its end or its next pause. */
  call(input?: AgentInput, options?: CallOptions): Promise<Msg>;
  streamEvents(input?: AgentInput, options?: StreamOptions): EventStream;
  /** Takes messages in without answering. */
  observe(messages: MsgData | readonly MsgData[], options?: SessionKey): Promise<void>;
  interrupt(target?: SessionKey & InterruptOptions): Promise<InterruptReceipt>;
}
