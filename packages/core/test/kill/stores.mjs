// Stores as programs of their own have them: the built package, a place and nothing else.
import { join } from 'node:path';

/** `place.store` names it; `folder`, `url` and `name` say where it is. */
export async function openStore({ store, folder, url, name }) {
  if (store === 'file') return new (await import('@agentscope/core/store/file')).JsonSession(join(folder, 'sessions'));
  if (store === 'sqlite') return new (await import('@agentscope/core/store/sqlite')).SqliteSession(join(folder, 'sessions.db'));
  if (store === 'redis') return new (await import('@agentscope/core/store/redis')).RedisSession({ url, keyPrefix: `${name}:` });
  if (store === 'postgres') return new (await import('@agentscope/core/store/postgres')).PostgresSession({ connectionString: url, schema: name });
  throw new Error(`no store ${store}`);
}

/** The same store with some methods of our own. */
export function wrapped(inner, changes) {
  return new Proxy(inner, {
    get(target, member) {
      const value = Reflect.get(changes, member) ?? Reflect.get(target, member);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
