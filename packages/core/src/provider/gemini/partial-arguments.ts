import { isObject } from '../../internal/index.ts';
import type { JsonObject } from '../../internal/index.ts';

type Step = string | number;

/**
 * Arguments that come value by value, each with its place (`$.city`, `$.stops[0]['a b']`): Vertex with streamed function arguments.
 * A text whose piece says `willContinue` goes on in the next piece with the same place.
 */
export class PartialArguments {
  readonly #root: Record<string, unknown> = {};
  #openText: string | undefined;

  /** `partialArgs` of one piece. Gives back false where a place or a value makes no sense. */
  add(pieces: readonly unknown[]): boolean {
    return pieces.every((piece) => isObject(piece) && this.#piece(piece));
  }

  get value(): JsonObject {
    return this.#root as JsonObject;
  }

  #piece(piece: Record<string, unknown>): boolean {
    const path = typeof piece['jsonPath'] === 'string' ? piece['jsonPath'] : '';
    const steps = stepsOf(path);
    const value = valueOf(piece);
    if (steps === undefined || value === undefined) return false;
    const goesOn = this.#openText === path && typeof value === 'string';
    this.#openText = piece['willContinue'] === true && typeof value === 'string' ? path : undefined;
    return put(this.#root, steps, (before) => (goesOn && typeof before === 'string' ? before + value : value));
  }
}

function valueOf(piece: Record<string, unknown>): string | number | boolean | null | undefined {
  const { stringValue, numberValue, boolValue } = piece;
  if (typeof stringValue === 'string') return stringValue;
  if (typeof numberValue === 'number') return numberValue;
  if (typeof boolValue === 'boolean') return boolValue;
  return 'nullValue' in piece ? null : undefined;
}

/** The steps of a path (RFC 9535, names and indexes only), or nothing where it is none. */
function stepsOf(path: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  const step = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/gy;
  step.lastIndex = 1;
  while (step.lastIndex < path.length) {
    const match = step.exec(path);
    if (match === null) return undefined;
    const quoted = match[3] ?? match[4];
    steps.push(match[2] !== undefined ? Number(match[2]) : (match[1] ?? quoted?.replace(/\\(.)/gs, '$1') ?? ''));
  }
  return path.startsWith('$') && steps.length > 0 && typeof steps[0] === 'string' ? steps : undefined;
}

/** Makes lists and objects on the way. A list only grows by one, so no index can make it huge. */
function put(root: object, steps: readonly Step[], change: (before: unknown) => unknown): boolean {
  let at: object = root;
  for (let n = 0; n < steps.length; n++) {
    const step = steps[n] ?? '';
    if (Array.isArray(at) ? typeof step !== 'number' || step > at.length : typeof step === 'number') return false;
    const before: unknown = Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined;
    const next = steps[n + 1];
    const after: unknown = next === undefined ? change(before) : typeof before === 'object' && before !== null ? before : typeof next === 'number' ? [] : {};
    Object.defineProperty(at, step, { value: after, enumerable: true, configurable: true, writable: true });
    if (next !== undefined) at = after as object;
  }
  return true;
}
