import { AgentScopeError } from '../error/index.ts';
import type { FullSessionKey } from './entry.ts';
import type { Lease, Session } from './session.ts';

/** How long a lease holds without being renewed, in milliseconds. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

/** Holds the lease of a session for all in this process who write it: renewed while anybody does, given back by the last. */
export class LeaseKeeper {
  readonly #store: Session;
  readonly #key: FullSessionKey;
  readonly #owner: string;
  #lease: Lease;
  #holders = 1;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Set once somebody else has the lease. */
  lostBy: AgentScopeError | undefined;

  private constructor(store: Session, { key, owner, lease }: { key: FullSessionKey; owner: string; lease: Lease }) {
    this.#store = store;
    this.#key = key;
    this.#owner = owner;
    this.#lease = lease;
    this.#startRenewing();
  }

  static async take(store: Session, key: FullSessionKey, owner: string): Promise<LeaseKeeper> {
    return new LeaseKeeper(store, { key, owner, lease: await store.lease(key, { ttlMs: LEASE_MS, owner }) });
  }

  get fence(): number {
    return this.#lease.fence;
  }
  get isHeld(): boolean {
    return this.#holders > 0;
  }
  get owner(): string {
    return this.#owner;
  }

  /** One more holder. False when the lease had been given back and somebody else has had it since: what was folded is out of date. */
  async hold(): Promise<boolean> {
    if (this.#holders++ > 0) return true;
    try {
      const lease = await this.#store.lease(this.#key, { ttlMs: LEASE_MS, owner: this.#owner });
      if (lease.fence !== this.#lease.fence) {
        await lease.release();
        this.#holders--;
        return false;
      }
      this.#lease = lease;
    } catch (error) {
      this.#holders--;
      throw error;
    }
    this.#startRenewing();
    return true;
  }

  /** One holder less; the last gives the lease back. */
  async drop(): Promise<void> {
    if (this.#holders === 0 || --this.#holders > 0) return;
    await this.end();
  }

  /** Gives the lease back whoever holds it. */
  async end(): Promise<void> {
    if (this.#timer === undefined) return;
    this.#holders = 0;
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.lostBy === undefined) await this.#lease.release();
  }

  #startRenewing(): void {
    this.#timer = setInterval(() => void this.#renew(), RENEW_MS);
    // Where timers keep a process alive, this one must not.
    const timer: unknown = this.#timer;
    if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') timer.unref();
  }

  async #renew(): Promise<void> {
    try {
      await this.#lease.renew();
    } catch (error) {
      // A store that cannot be reached now may be in ten seconds; the fence keeps anything wrong from being written.
      if (AgentScopeError.is(error, 'session/lease-lost') || AgentScopeError.is(error, 'session/conflict')) this.lostBy = error;
    }
  }
}
