import type { AgentEvent } from '../event/index.ts';
import type { JsonValue } from '../internal/index.ts';
import type { GenerateReason, Msg } from '../message/index.ts';
import type { ChatModel, GenerateOptions } from '../model/index.ts';
import type { PermissionEngine } from '../permission/index.ts';
import type { FullSessionKey, Position } from '../session/index.ts';
import type { RuntimeContext } from '../state/index.ts';
import type { AgentConfig } from './config.ts';
import type { StepFacts } from './next-step.ts';
import type { Stages } from './stages.ts';
import type { StructuredOutput } from './structured-output.ts';

/**
 * The running reply as its steps see it: configuration and the fold, read only. A step changes the reply by yielding events, and in
 * no other way; when it is resumed they are committed, and durable where DESIGN §4 says so.
 */
export interface Reply {
  readonly config: AgentConfig;
  readonly model: ChatModel;
  readonly key: FullSessionKey;
  readonly replyId: string;
  readonly epoch: number;
  /** Aborted by an interrupt, by the caller, by leaving the stream, when the store is lost, and when a shutdown waits no longer. */
  readonly signal: AbortSignal;
  readonly generateOptions: GenerateOptions | undefined;
  readonly context: RuntimeContext;
  /** The answer as data that it owes; undefined: words will do. */
  readonly structured: StructuredOutput | undefined;
  message(): Msg;
  facts(): StepFacts;
  /** Steering messages that came and were not read; the next model call reads them. */
  steers(): readonly Msg[];
  /** What the model is shown: the conversation up to and including this reply, as it is now; the list is made when it is asked for. */
  messages(head?: readonly Msg[]): Promise<() => readonly Msg[]>;
  state(name: string): JsonValue | undefined;
  /** How far the events of an agent that a call asked were told: a place in that agent's session. */
  toldTo(taskId: string): Position | undefined;
  /** Calls whose agent waits for somebody: not to be made again in this run before an answer came for it. */
  readonly waiting: Map<string, GenerateReason>;
  /** The rules and the mode that hold now. */
  policy(): Promise<PermissionEngine>;
  /** A change of the session's state, committed in one append with the result of a call, or with the next event. */
  stage(name: string, value: JsonValue, withCall?: string): void;
  /** A middleware asked for a stop, and it is not said yet. */
  readonly isStopping: boolean;
  /** Middleware and hooks around it; undefined: there are none. */
  readonly stages: Stages | undefined;
  /** Stands for this session in `runWithin`, so that a tool cannot wait for the session it holds up. */
  readonly mark: object;
  /** Keeps the error a model threw, so that the call rejects with it and not with a copy. */
  failed(error: unknown): void;
}

/** Events in order, a batch for each wake-up. */
export type StepEvents = AsyncGenerator<AgentEvent[], void, undefined>;

/** The events of a stage, whatever it comes to. */
export function eventsOf(stage: AsyncGenerator<AgentEvent[], unknown, undefined>): StepEvents {
  return stage as StepEvents;
}
