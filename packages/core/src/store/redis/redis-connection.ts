import { createHash } from 'node:crypto';
import { invalidOption } from '../shared/unavailable.ts';
import type { Script } from './scripts.ts';

export type RedisValue = string | number | Buffer;

/** As much of a `Redis` or `Cluster` of the package `ioredis` as we need. */
export interface RedisClient {
  call(command: string, args: RedisValue[]): Promise<unknown>;
  quit(): Promise<unknown>;
  disconnect(): void;
}

export interface RedisConnectionOptions {
  readonly url: string | undefined;
  readonly client: RedisClient | undefined;
  readonly timeoutMs: number;
}

/** Longest time between two tries to connect again, in milliseconds. */
const MAX_RETRY_MS = 500;

/** The connection: made at the first use, made again by `ioredis` whenever it was lost. */
export class RedisConnection {
  readonly #options: RedisConnectionOptions;
  readonly #hashes = new Map<Script, string>();
  #own: Promise<RedisClient> | undefined;

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
  }

  /** A client may never settle a command whose connection broke, so the time is taken here. */
  async call(command: string, ...args: RedisValue[]): Promise<unknown> {
    const { timeoutMs } = this.#options;
    const client = await this.#client();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`No answer to ${command} within ${timeoutMs} ms.`)), timeoutMs);
    });
    try {
      return await Promise.race([client.call(command, args), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs a script by its hash; the text is sent only where the server does not have it (a new one, one that was restarted). */
  async run({ script, keys }: { readonly script: Script; readonly keys: readonly string[] }, ...args: RedisValue[]): Promise<unknown> {
    const hash = this.#hashes.get(script) ?? createHash('sha1').update(script.text).digest('hex');
    this.#hashes.set(script, hash);
    try {
      return await this.call('EVALSHA', hash, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return this.call('EVAL', script.text, keys.length, ...keys, ...args);
    }
  }

  async close(): Promise<void> {
    const own = await this.#own?.catch(() => undefined);
    this.#own = undefined;
    // Says goodbye where somebody listens, and else just hangs up.
    await own?.quit().catch(() => own.disconnect());
  }

  async #client(): Promise<RedisClient> {
    if (this.#options.client !== undefined) return this.#options.client;
    this.#own ??= connect(this.#options);
    try {
      return await this.#own;
    } catch (error) {
      this.#own = undefined;
      throw error;
    }
  }
}

async function connect({ url = '', timeoutMs }: RedisConnectionOptions): Promise<RedisClient> {
  const { Redis } = await import('ioredis').catch((error: unknown) => {
    throw invalidOption('store', 'RedisSession needs the package `ioredis`. Install it: npm install ioredis', error);
  });
  const client = new Redis(url, {
    connectTimeout: timeoutMs,
    maxRetriesPerRequest: 1,
    retryStrategy: (times: number) => Math.min(times * 50, MAX_RETRY_MS),
  });
  client.on('error', () => undefined); // every command that fails says so itself
  return client;
}
