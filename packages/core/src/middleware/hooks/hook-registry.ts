import { AgentScopeError } from '../../error/index.ts';
import type { Hook, HookEvent } from '../../hook/index.ts';

/** Points of Python's v1, and the event each is here. */
interface HookPoints {
  readonly pre_reply: 'PRE_CALL';
  readonly post_reply: 'POST_CALL';
  readonly pre_reasoning: 'PRE_REASONING';
  readonly post_reasoning: 'POST_REASONING';
  readonly pre_acting: 'PRE_ACTING';
  readonly post_acting: 'POST_ACTING';
  readonly post_print: 'REASONING_CHUNK';
}
const POINTS: HookPoints = {
  pre_reply: 'PRE_CALL',
  post_reply: 'POST_CALL',
  pre_reasoning: 'PRE_REASONING',
  post_reasoning: 'POST_REASONING',
  pre_acting: 'PRE_ACTING',
  post_acting: 'POST_ACTING',
  post_print: 'REASONING_CHUNK',
};

/** Where a hook is registered by its name, as in AgentScope 1 for Python. */
export type HookPoint = keyof HookPoints;
export type HookFunction<P extends HookPoint = HookPoint> = (event: Extract<HookEvent, { type: HookPoints[P] }>) => unknown;

/** Hooks by point and name, in the order they were registered; one registered again under its name takes its place. */
export class HookRegistry {
  readonly #hooks = new Map<HookPoint, Map<string, HookFunction>>();
  /** Changes with every registration. */
  version = 0;

  /** @throws AgentScopeError `config/invalid` for a point there is none of, and for what is no function */
  register<P extends HookPoint>(point: P, name: string, fn: HookFunction<P>): void {
    checkPoint(point);
    if (typeof fn !== 'function') throw invalid(`The hook "${name}" has to be a function.`);
    const named = this.#hooks.get(point) ?? new Map<string, HookFunction>();
    this.#hooks.set(point, named.set(name, fn as unknown as HookFunction));
    this.version++;
  }

  /** False when there was none. */
  remove(point: HookPoint, name: string): boolean {
    checkPoint(point);
    this.version++;
    return this.#hooks.get(point)?.delete(name) ?? false;
  }

  /** Of one point, or all. */
  clear(point?: HookPoint): void {
    if (point === undefined) this.#hooks.clear();
    else this.#hooks.delete(point);
    this.version++;
  }

  hooks(): readonly Hook[] {
    return Array.from(this.#hooks, ([point, named]) => Array.from(named, ([name, fn]) => hookOf(point, name, fn))).flat();
  }
}

function hookOf(point: HookPoint, name: string, fn: HookFunction): Hook {
  const type = POINTS[point];
  // what a function gives back that is no event is Python's habit of returning what it was given
  const onEvent = async (event: HookEvent): Promise<void> => void (event.type === type && (await fn(event as never)));
  return Object.assign({ onEvent }, { name });
}

function checkPoint(point: string): void {
  if (Object.hasOwn(POINTS, point)) return;
  const why = /observe|print/.test(point) ? ' Observing takes a message in and prints nothing here, so there is no such point.' : '';
  throw invalid(`There is no hook point ${JSON.stringify(point)}; there are ${Object.keys(POINTS).join(', ')}.${why}`);
}

function invalid(message: string): AgentScopeError<'config/invalid'> {
  return new AgentScopeError('config/invalid', message, { details: { option: 'hooks' } });
}
