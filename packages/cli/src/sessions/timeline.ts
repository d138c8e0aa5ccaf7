import type { AgentEvent, MsgData } from '@agentscope/core';
import type { Opened } from './open.ts';

/** What is said, in the order of the journal. */
export type Moment = { readonly at: string; readonly seq: number } & ({ readonly event: AgentEvent } | { readonly msg: MsgData });

/** The inputs and events of a session. */
export async function* momentsOf({ store, key, session }: Opened, signal: AbortSignal): AsyncGenerator<Moment> {
  const inputs = await inputsOf({ store, key });
  let next = 0;
  for await (const { seq, event } of session.events({ signal })) {
    for (let input = inputs[next]; input !== undefined && input.seq < seq; input = inputs[++next]) yield input;
    yield { at: event.createdAt, seq, event };
  }
  yield* inputs.slice(next);
}

/** Messages as they were accepted; what was said into a reply stands among its events instead. */
async function inputsOf({ store, key }: Pick<Opened, 'store' | 'key'>): Promise<readonly (Moment & { readonly msg: MsgData })[]> {
  const inputs: (Moment & { readonly msg: MsgData })[] = [];
  const hints = new Set<string>();
  for await (const entry of store.read(key)) {
    if (entry.kind === 'input') inputs.push({ at: entry.at, seq: entry.seq, msg: entry.msg });
    if (entry.kind === 'event' && entry.event.type === 'HINT_BLOCK') hints.add(entry.event.blockId);
  }
  return inputs.filter(({ msg }) => !hints.has(msg.id));
}

/** Longest pause, in milliseconds of the original. */
const LONGEST_MS = 2_000;

/**
 * Each with the milliseconds to wait after it. Deltas are kept in one record, with the time of the first: those that share a time
 * share the pause behind them.
 */
export async function* paced<T extends { readonly at: string }>(moments: AsyncIterable<T>, speed: number): AsyncGenerator<readonly [T, waitMs: number]> {
  let group: T[] = [];
  const spread = function* (until: string | undefined): Generator<readonly [T, number]> {
    const pause = until === undefined || speed === 0 ? 0 : pauseBetween(group[0]?.at ?? until, until) / speed;
    for (const moment of group) yield [moment, pause / group.length];
  };
  for await (const moment of moments) {
    if (speed === 0) yield [moment, 0];
    else if (group[0] === undefined || group[0].at === moment.at) group.push(moment);
    else {
      yield* spread(moment.at);
      group = [moment];
    }
  }
  yield* spread(undefined);
}

/** Clocks may go back, and times may be missing: then there is no pause. */
function pauseBetween(from: string, to: string): number {
  const pause = Date.parse(to) - Date.parse(from);
  return pause > 0 ? Math.min(pause, LONGEST_MS) : 0;
}
