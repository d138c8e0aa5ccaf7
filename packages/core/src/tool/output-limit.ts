/** Characters of text one tool result may hold; the rest is counted and named. */
export const MAX_OUTPUT_CHARACTERS = 100_000;

/**
 * Keeps the text of one result well-formed and bounded, however it comes: half surrogates at the end of a piece wait for the next
 * piece, lone ones become U+FFFD, and a cut never goes through a pair.
 */
export class OutputLimit {
  #left = MAX_OUTPUT_CHARACTERS;
  #seen = 0;
  #half = '';

  /** What may be shown now of a piece that may go on in the next one. */
  piece(text: string): string {
    const whole = this.#half + text;
    this.#half = endsInHighSurrogate(whole) ? whole.slice(-1) : '';
    return this.#clip(this.#half === '' ? whole : whole.slice(0, -1));
  }

  /** The waiting half, when nothing came to complete it. */
  rest(): string {
    const half = this.#half;
    this.#half = '';
    return this.#clip(half);
  }

  /** Says what is missing; `''` when nothing is. */
  marker(): string {
    const shown = MAX_OUTPUT_CHARACTERS - this.#left;
    return this.#seen > MAX_OUTPUT_CHARACTERS ? `\n[Output cut: the first ${shown} of ${this.#seen} characters are shown.]` : '';
  }

  #clip(text: string): string {
    this.#seen += text.length;
    if (text.length <= this.#left) {
      this.#left -= text.length;
      return text.toWellFormed();
    }
    const cut = text.slice(0, this.#left);
    this.#left = 0; // also when the cut went back one unit: nothing may follow a cut
    return (endsInHighSurrogate(cut) ? cut.slice(0, -1) : cut).toWellFormed();
  }
}

function endsInHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
