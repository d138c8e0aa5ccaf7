import { readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentScopeError } from '../../error/index.ts';
import { isObject, newId, parseObject } from '../../internal/index.ts';
import type { Clock } from '../../internal/index.ts';
import { conflict, lost } from '../../session/index.ts';
import type { Lease, LeaseOptions, SessionKey } from '../../session/index.ts';
import { hasCode, onDisk } from './fs-error.ts';
import { leaseName, listFolder } from './layout.ts';

interface Held {
  readonly owner: string;
  /** Milliseconds since the epoch; 0 after a release. */
  readonly expiresAt: number;
  /** The process that has it and its machine: where it can be seen that a process is gone, nobody waits for its lease. */
  readonly pid?: number;
  readonly host?: string;
}

/** Name of the file that exists while somebody takes the lease, and how long it may, in milliseconds, before its maker counts as dead. */
const TAKING = 'lease.taking';
const TAKING_MS = 5_000;
const WAIT_MS = 5;

/**
 * Takes the lease of a session's folder. One file a fence, created exclusively, so that of two processes one gets it; the highest
 * file is the lease. Times are this machine's clock.
 */
export async function takeLease(folder: string, key: SessionKey, options: LeaseOptions & { clock: Clock }): Promise<Lease> {
  return oneAtATime(folder, () => take(folder, key, options));
}

/**
 * Between looking at a free lease and taking it nobody else may take it: its last owner gets the same file again, so the file itself
 * keeps no two apart. Should a maker be dead wrongly, the fence still holds.
 */
async function oneAtATime<T>(folder: string, task: () => Promise<T>): Promise<T> {
  const path = join(folder, TAKING);
  for (const end = Date.now() + 2 * TAKING_MS; ; ) {
    try {
      await writeFile(path, JSON.stringify({ owner: '', expiresAt: 0, pid: process.pid, host: hostname() } satisfies Held), { flag: 'wx' });
      break;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      if (Date.now() > end) throw taken({ cause: error });
    }
    if (await isAbandoned(path)) await unlink(path).catch(() => undefined);
    else await sleep(WAIT_MS);
  }
  try {
    return await task();
  } finally {
    await unlink(path).catch(() => undefined);
  }
}

/** Made by a process that has ended meanwhile, or too long ago. */
async function isAbandoned(path: string): Promise<boolean> {
  const maker = await readHeld(path);
  if (maker === undefined || isGone(maker)) return maker !== undefined;
  try {
    return Date.now() - (await stat(path)).mtimeMs > TAKING_MS;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

async function take(folder: string, key: SessionKey, { ttlMs, owner, clock }: LeaseOptions & { clock: Clock }): Promise<Lease> {
  const { segments = [], leases = [] } = (await listFolder(folder)) ?? {};
  const newestSegment = segments.at(-1) ?? 0;
  const newest = leases.at(-1);
  const held = newest === undefined ? undefined : await readHeld(join(folder, leaseName(newest)));
  if (held !== undefined && held.owner !== owner && held.expiresAt > clock() && !isGone(held)) throw taken({ held });
  const isSame = newest !== undefined && held?.owner === owner && newest >= newestSegment;
  const fence = isSame ? newest : Math.max(newest ?? 0, newestSegment) + 1;
  const lease = new FileLease(folder, { key, fence, ttlMs, owner, clock });
  if (isSame) await lease.retake();
  else await lease.create();
  for (const older of leases) if (older < fence) await unlink(join(folder, leaseName(older))).catch(() => undefined);
  return lease;
}

class FileLease implements Lease {
  readonly fence: number;
  readonly #folder: string;
  readonly #key: SessionKey;
  readonly #options: LeaseOptions & { readonly clock: Clock };

  constructor(folder: string, { key, fence, ...options }: LeaseOptions & { readonly key: SessionKey; readonly fence: number; readonly clock: Clock }) {
    this.#folder = folder;
    this.#key = key;
    this.fence = fence;
    this.#options = options;
  }

  async create(): Promise<void> {
    try {
      await writeFile(this.#path(), this.#text(), { flag: 'wx' });
    } catch (error) {
      throw hasCode(error, 'EEXIST') ? taken() : error;
    }
    if ((await listFolder(this.#folder))?.leases.at(-1) === this.fence) return;
    await unlink(this.#path()).catch(() => undefined);
    throw taken();
  }

  /** As {@link renew}, for one that was given back or ran out: somebody else may be taking it just now. */
  async retake(): Promise<void> {
    try {
      await this.renew();
    } catch (error) {
      throw AgentScopeError.is(error, 'session/lease-lost') ? taken({ cause: error }) : error;
    }
  }

  renew(): Promise<void> {
    return onDisk(() => this.#write(this.#text()));
  }

  release(): Promise<void> {
    return onDisk(async () => {
      try {
        await this.#write(JSON.stringify({ owner: this.#options.owner, expiresAt: 0 }));
      } catch (error) {
        if (!AgentScopeError.is(error, 'session/lease-lost')) throw error; // somebody else's by now: nothing to give back
      }
    });
  }

  async #write(text: string): Promise<void> {
    await this.#check();
    const draft = `${this.#path()}.${newId()}`;
    try {
      await writeFile(draft, text);
      await rename(draft, this.#path());
    } catch (error) {
      await unlink(draft).catch(() => undefined);
      throw hasCode(error, 'ENOENT') ? lost(this.#key, error) : error;
    }
    await this.#check();
  }

  async #check(): Promise<void> {
    const listing = await listFolder(this.#folder);
    if (listing?.leases.at(-1) !== this.fence || (listing.segments.at(-1) ?? 0) > this.fence) throw lost(this.#key);
    if ((await readHeld(this.#path()))?.owner !== this.#options.owner) throw lost(this.#key);
  }
  #path(): string {
    return join(this.#folder, leaseName(this.fence));
  }
  #text(): string {
    const { owner, ttlMs, clock } = this.#options;
    const held: Held = { owner, expiresAt: clock() + ttlMs, pid: process.pid, host: hostname() };
    return JSON.stringify(held);
  }
}

async function readHeld(path: string): Promise<Held | undefined> {
  try {
    const value = parseObject(await readFile(path, 'utf8'));
    if (isObject(value) && typeof value['owner'] === 'string' && typeof value['expiresAt'] === 'number') {
      const { owner, expiresAt, pid, host } = value;
      return { owner, expiresAt, ...(typeof pid === 'number' && typeof host === 'string' ? { pid, host } : {}) };
    }
    // One is made by nobody but who takes the lease, alone, and changed as a whole: this one's maker was killed before it had written it.
    return { owner: '', expiresAt: 0 };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** True only for a process of this machine that has ended (killed, or ended without a release). Should it be wrong, the fence still holds. */
function isGone({ pid, host }: Held): boolean {
  if (pid === undefined || host !== hostname()) return false;
  try {
    process.kill(pid, 0); // sends nothing, only looks
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

function taken({ held, cause }: { held?: Held; cause?: unknown } = {}): AgentScopeError<'session/conflict'> {
  const holder = held?.pid === undefined || held.host === undefined ? undefined : { pid: held.pid, host: held.host };
  const who = holder === undefined ? 'Another process' : `Process ${holder.pid} on ${holder.host}`;
  return new AgentScopeError('session/conflict', `${who} is writing this session. Wait until it has ended, or until its lease of 30 seconds has run out.`, {
    details: { ...conflict(-1, -1).details, ...(holder === undefined ? {} : { holder }) },
    cause,
  });
}
