export type * from './events.ts';
export type { Facts, ModelCallEndFacts, ModelCallPurpose, ModelCallStartFacts } from './facts.ts';
export { createEvent } from './create-event.ts';
