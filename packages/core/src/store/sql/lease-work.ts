import { AgentScopeError } from '../../error/index.ts';
import { conflict, lost } from '../../session/index.ts';
import type { Lease, LeaseOptions, SessionKey } from '../../session/index.ts';
import { textId } from '../shared/store-id.ts';
import { ensuredRow, lockedRow } from './session-row.ts';
import type { SqlDriver, Work } from './work.ts';

/** The right to write a session, by the database's clock. */
export async function takeLease(driver: SqlDriver, key: SessionKey, { owner, ttlMs }: LeaseOptions): Promise<Lease> {
  const { dialect } = driver;
  const me = textId(owner);
  const sessions = dialect.table('sessions');
  const fence = await driver.transact(function* (): Work<number> {
    const row = yield* ensuredRow(dialect, key);
    if (row.leaseOwner !== me && row.leaseExpires > row.now) throw taken();
    const isSame = row.leaseOwner === me && row.leaseFence >= row.newestFence;
    const given = isSame ? row.leaseFence : row.newestFence + 1;
    yield { sql: `UPDATE ${sessions} SET lease_fence = ?2, lease_owner = ?3, lease_expires = ?4 WHERE n = ?1`, values: [row.n, given, me, row.now + ttlMs] };
    return given;
  });
  const setEnd = (until: (now: number) => number): Promise<boolean> =>
    driver.transact(function* (): Work<boolean> {
      const row = yield* lockedRow(dialect, key);
      if (row === undefined || row.leaseOwner !== me || row.newestFence !== fence) return false;
      yield { sql: `UPDATE ${sessions} SET lease_expires = ?2 WHERE n = ?1`, values: [row.n, until(row.now)] };
      return true;
    });
  return {
    fence,
    async renew() {
      if (!(await setEnd((now) => now + ttlMs))) throw lost(key);
    },
    async release() {
      await setEnd(() => 0);
    },
  };
}

function taken(): AgentScopeError<'session/conflict'> {
  return new AgentScopeError('session/conflict', 'Another process is writing this session. Wait until it has released the lease, or until the lease has run out.', {
    details: conflict(-1, -1).details,
  });
}
