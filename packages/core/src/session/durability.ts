/**
 * What a killed process may lose: `delta` nothing · `step` the unsaved deltas of the running model call · `reply` the running reply,
 * intents excepted · `none` everything since the last save.
 */
export type Durability = 'delta' | 'step' | 'reply' | 'none';

/**
 * Where the loop asks for a flush: `input` a message was accepted · `delta` one network read was committed · `step` a model call or a
 * tool ended · `intent` a tool with effects is about to start · `end` the reply pauses or ends.
 */
export type FlushPoint = 'input' | 'delta' | 'step' | 'intent' | 'end';

const POINTS: Readonly<Record<Durability, readonly FlushPoint[]>> = {
  delta: ['input', 'delta', 'step', 'intent', 'end'],
  step: ['input', 'step', 'intent', 'end'],
  reply: ['input', 'intent', 'end'],
  none: [],
};

/** True where a flush asked for at this point is one. */
export function flushesAt(durability: Durability, point: FlushPoint): boolean {
  return POINTS[durability].includes(point);
}
