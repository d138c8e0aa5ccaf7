import { AgentScopeError } from '../../error/index.ts';
import type { Hook, HookEvent, RunContext } from '../../hook/index.ts';
import type { Clock } from '../../internal/index.ts';

/** An event without what all have. */
type Fields<T extends HookEvent['type']> = Omit<Extract<HookEvent, { type: T }>, 'type' | 'agent' | 'timestamp'>;
/** What hooks may change of an event, and how what they leave is checked and put in order. */
type Changeable<T extends HookEvent['type']> = { readonly [K in keyof Fields<T>]?: (value: unknown) => Fields<T>[K] };

/** Calls hooks in order of priority; each sees what the one before it changed. */
export class HookRunner {
  readonly #hooks: readonly { readonly hook: Hook; readonly name: string }[];
  readonly #clock: Clock;

  constructor(hooks: readonly Hook[], clock: Clock) {
    const named = hooks.map((hook, i) => ({ hook, name: nameOf(hook, i) }));
    this.#hooks = named.sort((a, b) => priorityOf(a.hook) - priorityOf(b.hook)); // stable: equal ones stay as given
    this.#clock = clock;
  }

  /** What the hooks made of an event. Fields that are not named in `changeable` cannot be assigned. */
  async run<T extends HookEvent['type']>(type: T, fields: Fields<T>, { ctx, changeable = {} }: { readonly ctx: RunContext; readonly changeable?: Changeable<T> }): Promise<Fields<T>> {
    const event = makeEvent({ type, agent: ctx.agent, timestamp: this.#clock() }, fields, Object.keys(changeable));
    for (const { hook, name } of this.#hooks) {
      try {
        const returned: unknown = await hook.onEvent(event as unknown as HookEvent);
        takeOver(event, returned, changeable);
        for (const [key, check] of Object.entries(changeable)) event[key] = (check as (value: unknown) => unknown)(event[key]);
      } catch (error) {
        throw failed(name, type, error);
      }
    }
    return event as Fields<T>;
  }
}

type LooseEvent = Record<string, unknown>;

/** Getters stay getters: what costs something to make is made when a hook looks at it. */
function makeEvent(fixed: object, fields: object, changeable: readonly string[]): LooseEvent {
  const event = Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(fixed), ...Object.getOwnPropertyDescriptors(fields) }) as LooseEvent;
  for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(event))) {
    if (changeable.includes(name)) continue;
    Object.defineProperty(event, name, get ? { get, enumerable: true, configurable: false } : { value, writable: false, enumerable: true, configurable: false });
  }
  return Object.preventExtensions(event);
}

/** A hook may give back another event of the same type, as in Java. */
function takeOver(event: LooseEvent, returned: unknown, changeable: object): void {
  if (returned === undefined || returned === null || returned === event) return;
  if (typeof returned !== 'object' || !('type' in returned) || returned.type !== event['type']) throw new TypeError(`it returned something that is no ${String(event['type'])} event`);
  for (const key of Object.keys(changeable)) if (key in returned) event[key] = (returned as LooseEvent)[key];
}

function priorityOf({ priority = 100 }: Hook): number {
  return priority;
}

function nameOf(hook: Hook, i: number): string {
  const own = (hook as { readonly name?: unknown }).name;
  if (typeof own === 'string' && own !== '') return own;
  const made = hook.constructor?.name;
  return made && made !== 'Object' ? made : `hook ${i + 1}`;
}

function failed(name: string, type: string, error: unknown): unknown {
  if (AgentScopeError.is(error)) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new AgentScopeError('agent/bad-event', `The hook "${name}" failed at ${type}: ${said}`, { details: { middleware: name, rule: said }, cause: error });
}
