import type { AgentEvent } from '../event/index.ts';
import { around } from './layer.ts';
import type { Layer, Looking } from './layer.ts';
import type { StageName } from './layer-rules.ts';
import type { Next, StageEvents } from './middleware.ts';
import { begun, inScopes } from './scope.ts';

export interface OnionOptions<I, R> {
  readonly where: StageName;
  /** Outermost first; those that only look stand inside of all others. */
  readonly layers: readonly (Layer<I, R> | Looking<I, R>)[];
  readonly input: I;
  core(input: I): StageEvents<R>;
  /** What the stage came to where a layer did not ask for the next one. */
  resultOf(): R;
}

/** A stage with its layers around it. Without any it is the stage itself: no layer, no event on its own. */
export function onion<I, R>({ where, layers, input, core, resultOf }: OnionOptions<I, R>): StageEvents<R> {
  const looking = layers.flatMap((each) => ('begin' in each ? [each.begin] : []));
  const inner = looking.length === 0 ? core : (given: I): StageEvents<R> => inScopes(core(given), begun(looking, given));
  const shells = layers.filter((each) => 'stage' in each);
  if (shells.length === 0) return inner(input);
  let next: Next<I, R> = (given) => singly(inner(given));
  for (const layer of shells.toReversed()) next = around(layer, next, { where, resultOf });
  return inBatches(next(input));
}

async function* singly<R>(batches: StageEvents<R>): AsyncGenerator<AgentEvent, R, undefined> {
  try {
    for (;;) {
      const step = await batches.next();
      if (step.done === true) return step.value;
      yield* step.value;
    }
  } finally {
    await batches.return(undefined as never);
  }
}

async function* inBatches<R>(events: AsyncGenerator<AgentEvent, R, undefined>): StageEvents<R> {
  try {
    for (;;) {
      const step = await events.next();
      if (step.done === true) return step.value;
      yield [step.value];
    }
  } finally {
    await events.return(undefined as never);
  }
}
