/** Milliseconds since the epoch. Tests pass their own. */
export type Clock = () => number;

let lastMs = -1;
let lastText = '';

/** ISO 8601 with `Z`. Formatting a date costs more than folding an event, so the text is kept for its millisecond. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastMs = ms;
    lastText = new Date(ms).toISOString();
  }
  return lastText;
}
