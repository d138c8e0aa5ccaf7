import type { AgentEvent } from '../event/index.ts';
import type { GenerateReason } from '../message/index.ts';
import { cursorOf, notePlace, parseCursor, toldEvent } from '../session/index.ts';
import type { FullSessionKey, JournalEvent, Session } from '../session/index.ts';
import { contextKey, withEntry } from '../state/index.ts';
import type { ContextKey, RuntimeContext } from '../state/index.ts';
import type { Reply } from './reply.ts';
import type { ToolRequests } from './tool-context.ts';

/** Whose events are told: the session they come from, and which agent it is. */
export interface TellingChild {
  readonly key: FullSessionKey;
  /** Id of the agent, the end of its path. */
  readonly id: string;
  /** Where its events are stored. */
  readonly store: Session;
}

/** The reply that asks an agent by a tool, as that tool sees it. */
export interface Caller {
  /** The store of the reply: an agent that has none of its own lives in it too. */
  readonly store: Session;
  /** Where the child's events that were told already end, as a cursor of the child's session; undefined: none were. */
  toldTo(): string | undefined;
  /** Shows a child's event in the caller's stream, and keeps in its journal where it stands. */
  tell(child: TellingChild, told: JournalEvent): void;
  /** An abort waits for this, for a moment: the child's end is told before the caller's own. */
  telling(work: Promise<void>): void;
  /** The call stays open, without a result, and the reply pauses: the child waits for somebody. */
  wait(reason: GenerateReason): void;
}

/** By it an agent used as a tool finds the reply that asks it. */
export const CALLER: ContextKey<Caller> = /* @__PURE__ */ contextKey<Caller>('agentscope:caller');

/** The context of a tool that asks an agent. */
export function callerContext(reply: Reply, { key, requests, show }: { readonly key: string; readonly requests: ToolRequests; show(event: AgentEvent): void }): RuntimeContext {
  const { session: store } = reply.config;
  const caller: Caller = {
    store,
    toldTo() {
      const place = reply.toldTo(key);
      return place && cursorOf(place.epoch, place.seq);
    },
    tell({ key: child, id, store: home }, { cursor, event }) {
      const teller = { child, source: `${reply.key.sessionId}/${id}`, taskId: key };
      const told = toldEvent(event, teller, reply.key.sessionId);
      if (told === undefined) return;
      notePlace(told, { ...teller, ...parseCursor(cursor), ...(home === store ? {} : { elsewhere: true }) });
      show(told);
    },
    telling: (work) => void (requests.telling = work),
    wait: (reason) => void (requests.waitsFor = reason),
  };
  return withEntry(reply.context, CALLER.of(caller));
}
