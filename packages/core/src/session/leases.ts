import { AgentScopeError } from '../error/index.ts';
import type { Clock } from '../internal/index.ts';
import type { SessionKey } from './entry.ts';
import { keyText } from './key.ts';
import type { Lease, LeaseOptions } from './session.ts';

interface Holding {
  fence: number;
  owner: string;
  /** 0 after a release: free for everybody, and the same fence again for its last owner. */
  expiresAt: number;
}

/** Leases within one process: for stores that live in it, and for those that bring none of their own. */
export class LeaseTable {
  readonly #holdings = new Map<string, Holding>();
  readonly #clock: Clock;

  constructor(clock: Clock = Date.now) {
    this.#clock = clock;
  }

  /** The newest fence given out; 0 before the first. */
  newestFence(key: SessionKey): number {
    return this.#holdings.get(keyText(key))?.fence ?? 0;
  }

  /** `floor`: the highest epoch the journal knows, so that fences go on growing after a restart. */
  take(key: SessionKey, { ttlMs, owner }: LeaseOptions, floor: number): Lease {
    const name = keyText(key);
    const held = this.#holdings.get(name);
    if (held !== undefined && held.owner !== owner && held.expiresAt > this.#clock()) throw taken(held.fence);
    const same = held !== undefined && held.owner === owner && held.fence >= floor;
    const holding: Holding = { fence: same ? held.fence : Math.max(held?.fence ?? 0, floor) + 1, owner, expiresAt: this.#clock() + ttlMs };
    this.#holdings.set(name, holding);
    return {
      fence: holding.fence,
      renew: async () => {
        if (this.#holdings.get(name)?.fence !== holding.fence) throw lost(key);
        holding.expiresAt = this.#clock() + ttlMs;
      },
      release: async () => {
        holding.expiresAt = 0;
      },
    };
  }
}

export function lost({ sessionId = '' }: SessionKey, cause?: unknown): AgentScopeError<'session/lease-lost'> {
  return new AgentScopeError('session/lease-lost', 'Another writer has taken the session over. Open it again to go on from what that one wrote.', { details: { sessionId }, cause });
}

function taken(fence: number): AgentScopeError<'session/conflict'> {
  return new AgentScopeError('session/conflict', `Another owner is writing this session (fence ${fence}). Wait until it has released the lease or the lease has run out.`, {
    details: { expectedSeq: -1, actualSeq: -1 },
  });
}
