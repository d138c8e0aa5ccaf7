import type { AgentEvent } from '../event/index.ts';
import type { StageEvents } from './middleware.ts';

/**
 * Looks at one run of a stage from inside of all layers, a batch at a time, and changes nothing: for those who time, count or trace. It
 * may not throw.
 */
export interface Scope<R> {
  /** Runs a piece of the stage: where what the stage starts has to be inside of something (an asynchronous context). */
  run<T>(work: () => T): T;
  see(events: readonly AgentEvent[]): void;
  done(result: R): void;
  fail(error: unknown): void;
  /** Last, whatever happened; also where nobody asks for the rest. */
  end(): void;
}

/** Begins a scope, or none: then it costs nothing. */
export type BeginScope<I, R> = (input: I) => Scope<R> | undefined;

/** A run of a stage with scopes around it, the first outermost. */
export function inScopes<R>(events: StageEvents<R>, scopes: readonly Scope<R>[]): StageEvents<R> {
  return scopes.reduceRight((inner, scope) => inScope(scope, inner), events);
}

export function begun<I, R>(begin: readonly BeginScope<I, R>[], input: I): readonly Scope<R>[] {
  return begin.flatMap((each) => each(input) ?? []);
}

async function* inScope<R>(scope: Scope<R>, events: StageEvents<R>): StageEvents<R> {
  try {
    for (;;) {
      const step = await scope.run(() => events.next());
      if (step.done === true) {
        scope.done(step.value);
        return step.value;
      }
      scope.see(step.value);
      yield step.value;
    }
  } catch (error) {
    scope.fail(error);
    throw error;
  } finally {
    try {
      await scope.run(() => events.return(undefined as never));
    } finally {
      scope.end();
    }
  }
}
