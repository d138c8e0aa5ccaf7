/** A map that forgets what was used longest ago. What it holds can always be found out again. */
export class Recent<V> {
  readonly #values = new Map<string, V>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }
  set(key: string, value: V): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#limit && oldest !== undefined) this.#values.delete(oldest);
  }
  delete(key: string): void {
    this.#values.delete(key);
  }
}
