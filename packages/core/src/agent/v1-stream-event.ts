import type { Msg } from '../message/index.ts';

/** What AgentScope 1 told apart. `REASONING` and `SUMMARY` are what the model says, the latter at the limit of model calls. */
export type V1EventType = 'REASONING' | 'TOOL_RESULT' | 'HINT' | 'SUMMARY' | 'AGENT_RESULT';

/** One step of a reply, or a piece of it, as a message: AgentScope 1's `Event`. */
export interface V1Event {
  readonly type: V1EventType;
  /** Pieces of one step share its `id`. */
  readonly message: Msg;
  /** True for the whole step: it holds everything its pieces held, and stands also where pieces were taken back. */
  readonly isLast: boolean;
}
