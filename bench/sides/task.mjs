// What both sides are asked to do, word for word the same.
import { z } from 'zod';

export const SYSTEM = 'You are a helpful assistant.';
export const PROMPT = 'Please do the task.';
export const DESCRIPTION = 'Add two numbers.';
export const schema = z.object({ a: z.number(), b: z.number() });

/** CPU in milliseconds at each run of the tool, while somebody listens. */
let stamps;
let runs = 0;

export function add({ a, b }) {
  runs++;
  stamps?.push(cpuMs());
  return a + b;
}

export const toolRuns = () => runs;

/** Runs `work` and gives the CPU time at each tool run in it. */
export async function stamped(work) {
  stamps = [];
  await work();
  const taken = stamps;
  stamps = undefined;
  return taken;
}

export function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
