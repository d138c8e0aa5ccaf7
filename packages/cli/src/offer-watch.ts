import { resolve } from 'node:path';
import type { TalkOptions } from './config/settings.ts';
import type { Surroundings } from './conversation.ts';
import { Lines } from './lines.ts';
import { openStore } from './store.ts';

/** Asks whether to look on while another process writes the session; undefined when nobody can be asked, or says no. */
export async function offerWatch({ session, store: folder }: TalkOptions, surroundings: Surroundings): Promise<number | undefined> {
  if (session === undefined || !process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const lines = new Lines({ input: process.stdin, output: process.stderr, onInterrupt: () => lines.close() });
  const answer = await lines.next('Watch it? [y]es [n]o ').finally(() => lines.close());
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) return undefined;
  const [{ silentAgent }, { watch }] = await Promise.all([import('./conversation.ts'), import('./sessions/watch.ts')]);
  const store = await openStore(resolve(folder), surroundings.notes);
  try {
    return await watch(silentAgent(store).session({ sessionId: session }), { events: false }, surroundings);
  } finally {
    await store.close();
  }
}
