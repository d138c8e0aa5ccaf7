export { InMemoryMemory } from './in-memory-memory.ts';
export type { Memory } from './memory.ts';
