import type { AgentEvent } from '../event/index.ts';
import type { Msg } from '../message/index.ts';
import type { Accepted, EventStream } from './agent.ts';
import { Channel } from './channel.ts';
import { LiveReader } from './live-reader.ts';

/** Where a run puts its committed events. */
export interface Outlet {
  deliver(events: readonly AgentEvent[]): void;
  /** A promise while the reader is too far behind; asked only while reading the model. */
  ready(): Promise<void> | undefined;
}

/** A run as its stream needs it. */
export interface StreamedRun {
  readonly accepted: Promise<Accepted>;
  readonly result: Promise<Msg>;
  /** Interrupts it, and waits until it has ended. */
  leave(): Promise<void>;
  /** All events of the run from its first one: what a reader who comes late has missed, then what comes. */
  replay(): AsyncIterable<AgentEvent>;
}

export interface EventStreamOptions {
  /** Starts the run; called once, when the stream is first asked for anything. */
  start(outlet: Outlet): StreamedRun;
  readonly detach: boolean;
}

/** Creates the lazy stream of one run. */
export function createEventStream({ start, detach }: EventStreamOptions): EventStream {
  const outlet = new LiveOutlet();
  let run: StreamedRun | undefined;
  let hasReader = false;
  const running = (): StreamedRun => (run ??= start(outlet));
  /** The first reader owns the run, whenever it comes: leaving early interrupts it, or lets it go on. Later ones only look. */
  const read = (): AsyncIterator<AgentEvent> => {
    const owns = !hasReader && !detach;
    hasReader = true;
    const live = run === undefined ? outlet.attach() : undefined;
    const started = running();
    const onLeave = async (): Promise<void> => {
      outlet.detach();
      if (owns) await started.leave();
    };
    return live ? readLive(live, started, onLeave) : readLate(started, onLeave);
  };
  return {
    [Symbol.asyncIterator]: read,
    get result() {
      return running().result;
    },
    get accepted() {
      return running().accepted;
    },
    text: () => textOf({ [Symbol.asyncIterator]: read }),
  };
}

/** Buffers for the one live reader; without one nothing is kept. */
class LiveOutlet implements Outlet {
  #channel: Channel<AgentEvent> | undefined;

  attach(): Channel<AgentEvent> {
    this.#channel = new Channel<AgentEvent>();
    return this.#channel;
  }
  detach(): void {
    this.#channel?.close();
    this.#channel = undefined;
  }
  deliver(events: readonly AgentEvent[]): void {
    this.#channel?.push(events);
  }
  ready(): Promise<void> | undefined {
    return this.#channel?.ready();
  }
}

/** The events as they come, then the run's failure if it failed. */
function readLive(channel: Channel<AgentEvent>, run: StreamedRun, onLeave: () => Promise<void>): AsyncIterator<AgentEvent> {
  run.result.then(
    () => channel.close(),
    (error: unknown) => channel.close({ error }),
  );
  return new LiveReader(channel, onLeave);
}

/** For one who comes after the start: what the journal has of the run, then what comes. */
async function* readLate(run: StreamedRun, onLeave: () => Promise<void>): AsyncGenerator<AgentEvent, void, undefined> {
  let finished = false;
  try {
    yield* run.replay();
    finished = true;
    await run.result;
  } finally {
    if (!finished) await onLeave();
  }
}

async function* textOf(events: AsyncIterable<AgentEvent>): AsyncGenerator<string, void, undefined> {
  for await (const event of events) {
    if (event.type === 'TEXT_BLOCK_DELTA' && event.source === undefined) yield event.delta;
  }
}
