import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTurns } from './in-turns.ts';
import { planOf } from './kill-plan.ts';
import { reportOf } from './kill-report.ts';
import { killRun } from './kill-runs.ts';
import type { Place, RunReport } from './kill-runs.ts';
import { runsOf, storePlaces } from './places.ts';

/** `KILL_RUNS=1000 KILL_STORES=file npm run test:kill` for many of one store; the seed of a run that failed is printed with it. */
const SEED = Number(process.env['KILL_SEED'] || 1);
const AT_ONCE = 3;

for (const { store, place, why, clean } of storePlaces()) {
  const RUNS = runsOf(store);
  describe.skipIf(place === undefined)(`${store}${place === undefined ? ` (skipped: ${why})` : ''}`, () => {
    let folder = '';
    const reports: RunReport[] = [];
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), `kill-${store}-`));
    });
    afterAll(async () => {
      process.stdout.write(reportOf(store, reports));
      if (reports.every(({ faults }) => faults.length === 0)) rmSync(folder, { recursive: true, force: true });
      await clean();
    });

    test(
      'I7 S0-036 C070 C030 C046 killed with SIGKILL anywhere and started again: nothing is lost, nothing with an effect runs twice, one model call a reply and crash',
      async () => {
        await inTurns({ count: RUNS, atOnce: AT_ONCE }, async (run) => void reports.push(await killRun(place as Place, planOf(run, SEED), join(folder, String(run)))));
        const wrong = reports.filter(({ faults }) => faults.length > 0).map(({ plan, killed, faults }) => [`seed ${SEED} ${JSON.stringify(plan)}`, `killed ${JSON.stringify(killed)}`, ...faults]);
        expect(wrong).toEqual([]);
      },
      30_000 + RUNS * 5_000,
    );

    test('writes are hit before, in their middle and after, and so is the time between them', () => {
      const hit = (phase: string): number => reports.filter(({ killed }) => killed.some((each) => each.phase === phase)).length;
      for (const phase of ['before', 'torn', 'after', 'time']) expect([phase, hit(phase) >= RUNS / 10]).toEqual([phase, true]);
    });
  });
}
