export type * from './entry.ts';
export type * from './session.ts';
