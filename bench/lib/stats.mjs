export function median(numbers) {
  const sorted = numbers.filter(Number.isFinite).toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Differences of neighbours: CPU per round from CPU at each round. */
export const steps = (stamps) => stamps.slice(1).map((stamp, at) => stamp - stamps[at]);
