import type { FullSessionKey, JournalEvent, Session } from '../session/index.ts';
import type { Agent } from './agent.ts';
import type { AgentConfig } from './config.ts';
import type { OpenReply, PendingQuestion } from './questions.ts';

/** One conversation of an agent that another one asks. */
export interface ChildSession extends Agent {
  readonly userId: string | undefined;
  readonly sessionId: string;
  events(options: { readonly from?: string | undefined; readonly follow?: boolean; readonly signal?: AbortSignal | undefined }): AsyncIterable<JournalEvent>;
}

/** What is behind an agent, as far as one that asks it by a tool needs it. */
export interface Core {
  readonly config: AgentConfig;
  read(key: FullSessionKey): Promise<{ openReply(): OpenReply | undefined }>;
  pending(key: FullSessionKey): Promise<readonly PendingQuestion[]>;
  session(key: FullSessionKey): ChildSession;
  /** The same agent in the store of one that asks it, if it has none that somebody chose. */
  livingIn(store: Session): Core;
}

const cores = new WeakMap<object, Core>();

export function noteCore(agent: object, core: Core): void {
  cores.set(agent, core);
}

/** Undefined for an agent that is not ours. */
export function coreOf(agent: object): Core | undefined {
  return cores.get(agent);
}
