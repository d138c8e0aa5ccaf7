export { PostgresSession } from './postgres-session.ts';
export type { PostgresSessionOptions } from './postgres-session.ts';
export type { PostgresClient, PostgresPool, PostgresResult } from './postgres-driver.ts';
