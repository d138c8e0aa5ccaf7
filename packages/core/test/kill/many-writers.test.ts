import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTurns } from './in-turns.ts';
import type { Place } from './kill-runs.ts';
import { runsOf, storePlaces } from './places.ts';
import { raceOf, raceRun } from './race-runs.ts';
import type { RaceReport } from './race-runs.ts';

const SEED = Number(process.env['KILL_SEED'] || 1);

for (const { store, place, why, clean } of storePlaces()) {
  const races = Math.ceil(runsOf(store) / 15);
  describe.skipIf(place === undefined)(`${store}${place === undefined ? ` (skipped: ${why})` : ''}`, () => {
    let folder = '';
    const reports: RaceReport[] = [];
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), `race-${store}-`));
    });
    afterAll(async () => {
      process.stdout.write(reportOf(store, reports));
      if (reports.every(({ faults }) => faults.length === 0)) rmSync(folder, { recursive: true, force: true });
      await clean();
    });

    test(
      'I8 C083 two and three processes on one session, stopped at random, leases stolen: one writer counts, replies never mix, the loser learns of it',
      async () => {
        await inTurns({ count: races, atOnce: 2 }, async (run) => void reports.push(await raceRun(place as Place, raceOf(run), { folder: join(folder, String(run)), seed: SEED })));
        const wrong = reports.filter(({ faults }) => faults.length > 0).map(({ race, faults }) => [`seed ${SEED} ${JSON.stringify(race)}`, ...faults]);
        expect(wrong).toEqual([]);
        expect(reports.reduce((sum, { stolen }) => sum + stolen, 0)).toBeGreaterThan(0);
      },
      30_000 + races * 60_000,
    );
  });
}

function reportOf(store: string, reports: readonly RaceReport[]): string {
  const sum = (count: (report: RaceReport) => number): number => reports.reduce((total, report) => total + count(report), 0);
  const codes = new Map<string, number>();
  for (const { failed } of reports) for (const [code, times] of Object.entries(failed)) codes.set(code, (codes.get(code) ?? 0) + times);
  return (
    `many writers, ${store}: ${reports.length} races of 2 and 3 processes, ${sum(({ stops }) => stops)} stops, ${sum(({ epochs }) => epochs)} epochs, ${sum(({ replies }) => replies)} replies, ` +
    `${sum(({ stolen }) => stolen)} taken over in the middle; calls that learned of it: ${[...codes].map(([code, times]) => `${code} ${times}`).join(', ')}; ${sum(({ faults }) => faults.length)} faults\n`
  );
}
