export type * from './events.ts';
export type { Facts, ModelCallEndFacts, ModelCallPurpose, ModelCallStartFacts } from './facts.ts';
export { createEvent, stampEvent } from './create-event.ts';
export { createFold, foldEvents } from './fold/fold.ts';
export type { ChildMessages, Fold, FoldOptions } from './fold/fold.ts';
export { translateEvents } from './translate.ts';
export type { TranslateOptions } from './translate.ts';
export { parseEvent, toJava2, toPython2 } from './wire.ts';
export { REWIND } from './fold/rewind.ts';
