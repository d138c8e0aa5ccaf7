/**
 * Milliseconds a server asks us to wait: `retry-after-ms`, else `retry-after` in seconds or as an HTTP date (RFC 9110 §10.2.3; a date
 * that has passed is 0). Nothing where neither says a time.
 */
export function retryAfterMs(headers: Headers, clock: () => number = Date.now): number | undefined {
  const ms = numberIn(headers.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const text = headers.get('retry-after');
  const seconds = numberIn(text);
  if (seconds !== undefined) return seconds * 1_000;
  const date = text === null || !/\d{2}:\d{2}/.test(text) ? Number.NaN : Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock());
}

function numberIn(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
