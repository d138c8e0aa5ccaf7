import type { AgentEvent, AgentSession, Msg } from '@agentscope/core';

/** What is said in a session: what has ended as messages, then everything as it comes. */
export type LiveMoment = { readonly msg: Msg } | { readonly event: AgentEvent };

/** Goes on until the abort, also where another process writes the session; it disturbs nobody. */
export async function* liveMoments(session: AgentSession, signal: AbortSignal): AsyncGenerator<LiveMoment> {
  const open = await session.openReply();
  const before = await session.messages();
  const seen = new Set<string>();
  for (const msg of before) {
    // A message that the open reply answers stands before it; the reply itself comes as events.
    if (msg.id === open?.replyId) continue;
    seen.add(msg.id);
    yield { msg };
  }
  for await (const { event } of session.events({ follow: true, signal })) {
    if ('replyId' in event && event.replyId !== undefined && seen.has(event.replyId)) continue;
    if (event.type === 'AGENT_START' && event.source === undefined) {
      for (const msg of await session.messages()) {
        if (msg.role !== 'USER' || seen.has(msg.id)) continue;
        seen.add(msg.id);
        yield { msg };
      }
    }
    yield { event };
  }
}
