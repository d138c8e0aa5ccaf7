/** Milliseconds between two paintings at least. */
const PAUSE_MS = 40;
const TICK_MS = 100;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;

/** Says when to paint: soon after a change, not for every change, and never more often than painting itself takes time. */
export class Painter {
  readonly #paint: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ticker: ReturnType<typeof setInterval> | undefined;
  #turn = 0;
  #pauseMs = PAUSE_MS;
  #isHeld = false;
  #isClosed = false;

  constructor(paint: () => void) {
    this.#paint = paint;
  }

  get spinner(): string {
    return SPINNER[this.#turn % SPINNER.length] ?? '';
  }

  /** Before the next key can come. */
  now(): void {
    this.#schedule(0);
  }
  /** Together with what comes meanwhile. */
  later(): void {
    if (this.#timer === undefined) this.#schedule(this.#pauseMs);
  }
  /** Keeps a spinner turning. */
  tick(isOn: boolean): void {
    clearInterval(this.#ticker);
    this.#ticker = isOn ? setInterval(() => (this.#turn++, this.later()), TICK_MS) : undefined;
  }
  /** While held nothing is painted. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
  }
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#ticker);
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), ms);
  }
  #run(): void {
    this.#timer = undefined;
    if (this.#isHeld) return;
    const begin = performance.now();
    this.#paint();
    this.#pauseMs = Math.max(PAUSE_MS, 4 * (performance.now() - begin));
  }
}
