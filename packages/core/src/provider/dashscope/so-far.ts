import { isObject } from '../../internal/index.ts';

/** Turns texts that each repeat everything so far into what is new. */
export class SoFar {
  readonly #onBroken: () => Error;
  readonly #said = new Map<string, string>();

  /** `onBroken`: the error for a text that does not go on from the one before. */
  constructor(onBroken: () => Error) {
    this.#onBroken = onBroken;
  }

  /** What of `text` was not said before under this key. An older text, said again, brings nothing. */
  newIn(key: string, text: string): string {
    const said = this.#said.get(key) ?? '';
    if (said.startsWith(text)) return '';
    if (!text.startsWith(said)) throw this.#onBroken();
    this.#said.set(key, text);
    return text.slice(said.length);
  }

  /** Tool calls whose arguments hold only what is new. Every piece lists all calls, so a call without a number has that of its place. */
  newInCalls(calls: readonly unknown[]): readonly unknown[] {
    return calls.map((call: unknown, at) => {
      if (!isObject(call)) return call;
      const index = typeof call['index'] === 'number' ? call['index'] : at;
      const called = isObject(call['function']) ? call['function'] : {};
      const text = called['arguments'];
      return { ...call, index, function: { ...called, arguments: typeof text === 'string' ? this.newIn(`call ${index}`, text) : text } };
    });
  }
}
