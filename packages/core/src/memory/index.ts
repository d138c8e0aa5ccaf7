export type { Memory } from './memory.ts';
