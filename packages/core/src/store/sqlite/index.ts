export { SqliteSession } from './sqlite-session.ts';
export type { SqliteSessionOptions } from './sqlite-session.ts';
