import type { RuntimeContext, StateSlots } from '../state/index.ts';

/** The agent a middleware or a hook works for. */
export interface RunAgent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** The run of a reply as a middleware sees it. */
export interface RunContext {
  readonly agent: RunAgent;
  readonly userId: string | undefined;
  readonly sessionId: string;
  readonly replyId: string;
  /** Aborted on interrupt, on the caller's abort and when the store is lost. */
  readonly signal: AbortSignal;
  /** What the call brought: typed by `contextKey`, never stored. */
  readonly context: RuntimeContext;
  /** Values of the session, typed by `stateKey`: what is set is journaled with the next event. JSON only. */
  readonly state: StateSlots;
  /** After what runs now the reply pauses with `MIDDLEWARE_STOP_REQUESTED`; `call()` goes on with it. */
  requestStop(reason: string): void;
}
