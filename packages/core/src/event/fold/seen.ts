interface Watermark {
  epoch: number;
  n: number;
}

/**
 * Which events were applied. Ids of our own count, `<replyId>:<epoch>:<n>`, need one watermark a reply (the epoch counts first);
 * foreign ids need a set.
 */
export class SeenIds {
  readonly #own = new Map<string, Watermark>();
  readonly #foreign = new Set<string>();
  /** The reply of the last event of our own, and its watermark. */
  #lastReply = '';
  #last: Watermark | undefined;
  /** `<replyId>:<epoch>:` of the last event of our own: the next one mostly begins the same, and only its number is read. */
  #lastPrefix = '';

  /** Notes an id, and says whose count it is of, or that it was there before. */
  note(id: string, replyId: string): 'repeat' | 'own' | 'foreign' {
    if (this.#last !== undefined && this.#lastReply === replyId && id.startsWith(this.#lastPrefix)) {
      const n = digits(id, this.#lastPrefix.length, id.length);
      if (n >= 0) return this.#isCounted(this.#last, n) ? 'repeat' : 'own';
    }
    if (isOwnId(id, replyId)) return this.#isBelow(id, replyId) ? 'repeat' : 'own';
    if (this.#foreign.has(id)) return 'repeat';
    this.#foreign.add(id);
    return 'foreign';
  }

  forget(ids: readonly string[]): void {
    for (const id of ids) this.#foreign.delete(id);
  }

  forgetReply(replyId: string): void {
    this.#own.delete(replyId);
    if (this.#lastReply === replyId) this.#last = undefined;
  }

  remember(ids: readonly string[]): void {
    for (const id of ids) this.#foreign.add(id);
  }

  watermarks(): [string, number, number][] {
    return Array.from(this.#own, ([replyId, { epoch, n }]) => [replyId, epoch, n]);
  }

  setWatermark(replyId: string, epoch: number, n: number): void {
    this.#own.set(replyId, { epoch, n });
    this.#last = undefined;
  }

  #isBelow(id: string, replyId: string): boolean {
    const colon = id.lastIndexOf(':');
    const epoch = digits(id, replyId.length + 1, colon);
    const n = digits(id, colon + 1, id.length);
    const mark = this.#markOf(replyId);
    if (epoch < mark.epoch || (epoch === mark.epoch && n <= mark.n)) return true;
    mark.epoch = epoch;
    mark.n = n;
    this.#lastPrefix = id.slice(0, colon + 1);
    return false;
  }

  /** The prefix names the watermark's epoch, so the number decides. */
  #isCounted(mark: Watermark, n: number): boolean {
    if (n <= mark.n) return true;
    mark.n = n;
    return false;
  }

  #markOf(replyId: string): Watermark {
    if (this.#last !== undefined && this.#lastReply === replyId) return this.#last;
    let mark = this.#own.get(replyId);
    if (mark === undefined) this.#own.set(replyId, (mark = { epoch: -1, n: -1 }));
    this.#lastReply = replyId;
    return (this.#last = mark);
  }
}

/** The form of our own count: the reply's id, a number, a number. */
export function isOwnId(id: string, replyId: string): boolean {
  const at = replyId.length;
  if (at === 0 || id.length < at + 4 || id.charCodeAt(at) !== COLON || !id.startsWith(replyId)) return false;
  const colon = id.lastIndexOf(':');
  return digits(id, at + 1, colon) >= 0 && digits(id, colon + 1, id.length) >= 0;
}

const COLON = 58;

/** The number written there, -1 for none. */
function digits(text: string, from: number, to: number): number {
  if (to <= from || to - from > 15) return -1;
  let value = 0;
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}
