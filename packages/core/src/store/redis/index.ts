export { RedisSession } from './redis-session.ts';
export type { RedisSessionOptions } from './redis-session.ts';
export type { RedisClient, RedisValue } from './redis-connection.ts';
