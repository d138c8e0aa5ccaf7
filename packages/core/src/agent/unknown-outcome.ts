import type { Metadata } from '../message/index.ts';

/** Marks a call whose outcome a crash left unknown and a person is asked about, and its result until it runs again. */
export const markUnknown = { unknownOutcome: true } as const;

export function wasUnknown(metadata: Metadata): boolean {
  return metadata['unknownOutcome'] === true;
}

export function unknownText(toolName: string): string {
  return `The process ended while ${toolName} was running. Whether it took effect is unknown.`;
}
