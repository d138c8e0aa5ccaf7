/** What was shown in short, whole: `/show <n>` prints it. */
export class Folds {
  readonly #kept = new Map<number, string>();
  #count = 0;

  /** Gives the number to ask for. */
  add(text: string): number {
    this.#count++;
    this.#kept.set(this.#count, text);
    this.#kept.delete(this.#count - MOST);
    return this.#count;
  }
  /** The newest without a number; undefined where there is none, or it is too long ago. */
  get(number: number = this.#count): string | undefined {
    return this.#kept.get(number);
  }
  get newest(): number {
    return this.#count;
  }
}

const MOST = 200;
