/**
 * One text of an answer (a part of a message, of a summary, the arguments of a call) that comes in deltas and is said again, whole, up to
 * three times. What the whole has and the deltas had not is a delta that was lost or never sent.
 */
export class Piece {
  /** Joined when somebody asks, so that deltas cost nothing. */
  #pieces: string[] = [];

  /** What came so far. */
  get text(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')];
    return this.#pieces[0] ?? '';
  }

  add(delta: string): void {
    this.#pieces.push(delta);
  }

  /** What is missing of the whole, now added; nothing where the deltas said something else. An empty whole says nothing. */
  rest(whole: string): string | undefined {
    if (whole === '') return '';
    const said = this.text;
    if (!whole.startsWith(said)) return undefined;
    const rest = whole.slice(said.length);
    if (rest !== '') this.add(rest);
    return rest;
  }
}
