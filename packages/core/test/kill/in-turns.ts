/** Does the work for 0 to `count - 1`, never more than `atOnce` at a time. */
export async function inTurns({ count, atOnce }: { count: number; atOnce: number }, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}
