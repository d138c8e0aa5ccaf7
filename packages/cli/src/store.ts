import type { Session } from '@agentscope/core';
import type { Writer } from './output.ts';

/** The sessions of a folder; damage is told once. */
export async function openStore(folder: string, notes: Writer): Promise<Session> {
  const { JsonSession } = await import('@agentscope/core/store/file');
  let told = false;
  return new JsonSession(folder, {
    onDamage: () => {
      if (!told) notes.write(`agentscope: a file of the session in ${folder} is damaged; what is intact was loaded.\n`);
      told = true;
    },
  });
}
