import type { JsonObject } from '../internal/index.ts';
import type { GenerateReason } from '../message/index.ts';

/** `rewrite`: what a hook made of an answer, in its place and under its number. */
export type ModelCallPurpose = 'reason' | 'summary' | 'repair' | 'rewrite';

/** `MODEL_CALL_START.metadata`. */
export interface ModelCallStartFacts {
  /** Number of the model call in its reply, from 1. A call made again after a crash keeps its number. */
  readonly call: number;
  readonly purpose: ModelCallPurpose;
  /** A repair because the answer did not fit the schema of the call. */
  readonly cause?: 'structured';
}

/** `MODEL_CALL_END.metadata`. */
export interface ModelCallEndFacts {
  /** The unified word: `stop length tool_calls content_filter pause error other`; absent after an abort. */
  readonly finishReason?: string;
  readonly providerFinishReason?: string;
  readonly requestId?: string;
  /** Why the call failed, when the reply ends by it. */
  readonly error?: { readonly type: string; readonly message: string };
  /** The blocks of the call are taken back (WIRE F24). */
  readonly discarded?: boolean;
}

export interface StructuredFacts {
  /** JSON Schema of the data. */
  readonly schema: JsonObject;
  /** Repairs because a text that was the answer did not fit. */
  readonly reminders: number;
}

/**
 * What the loop decides on and a message does not show. It comes from the events, so it survives with them; `fold.facts()` returns
 * it for the newest reply, and `nextStep` reads nothing else beside the message.
 */
export interface Facts {
  readonly replyId: string;
  /** Name of the agent that said AGENT_START; only it resumes the reply. */
  readonly agentName: string;
  /** Ids of the messages the reply answers (`AGENT_START.metadata.inputIds`). */
  readonly inputIds: readonly string[];
  /** No AGENT_END yet since the last AGENT_START: somebody is (or was, before a crash) working on it. */
  readonly running: boolean;
  /** Ended for good: an AGENT_END that is no pause (`PERMISSION_ASKING`, `TOOL_SUSPENDED`, `*_STOP_REQUESTED`). */
  readonly closed: boolean;
  /** Model calls with purpose `reason` that ended and were not discarded: what `maxIters` counts. */
  readonly iterations: number;
  /** `repair` calls since the model last called a tool or said something. */
  readonly repairs: number;
  /** The answer is wanted as data: `AGENT_START.metadata.structured`. */
  readonly structured?: StructuredFacts;
  /** The newest model call, discarded ones left out once ended. */
  readonly lastCall?: {
    readonly call: number;
    readonly purpose: ModelCallPurpose;
    readonly ended: boolean;
    readonly finishReason?: string;
    readonly error?: { readonly type: string; readonly message: string };
  };
  /** Highest call number of a model call that was not discarded: the next one has one more. */
  readonly calls: number;
  /** A REQUEST_STOP since the last AGENT_START. */
  readonly stop?: { readonly reason: string; readonly generateReason: GenerateReason };
  /** A USER_INTERRUPT since the last AGENT_START. */
  readonly interrupted: boolean;
  /** EXCEED_MAX_ITERS was said. */
  readonly exceeded: boolean;
  /** When open questions were last said since the last AGENT_START (`createdAt` of REQUIRE_*); absent: not in this run. */
  readonly askedAt?: string;
  /** Ids of calls a person refused. */
  readonly refused: readonly string[];
  /** Number of the model call whose calls ALL_TOOLS_DENIED said are denied; absent: not said. */
  readonly allDenied?: number;
  /** Model calls there were when a stop was last asked for. */
  readonly stoppedAt?: number;
  /** Time of the newest AGENT_START. */
  readonly startedAt?: string;
  /** Milliseconds that the runs which came to an AGENT_END took, pauses between them left out. */
  readonly activeMs?: number;
}
