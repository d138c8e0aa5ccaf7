export { JsonSession } from './json-session.ts';
export type { JsonSessionOptions } from './json-session.ts';
export type { Damage, OnDamage } from './segment.ts';
