import type { RunReport } from './kill-runs.ts';

const PHASES = ['before', 'torn', 'after', 'time'] as const;

/** Counts for people: where processes were killed, what was repeated and what was found wrong. */
export function reportOf(store: string, runs: readonly RunReport[]): string {
  const killed = runs.flatMap((run) => run.killed);
  const places = new Map<string, Map<string, number>>();
  for (const { what, phase } of killed) {
    const row = places.get(what) ?? new Map<string, number>();
    row.set(phase, (row.get(phase) ?? 0) + 1);
    places.set(what, row);
  }
  const total = (phase: string): number => killed.filter((each) => each.phase === phase).length;
  const faults = runs.flatMap((run) => run.faults);
  const lines = [
    `kill test, ${store}: ${runs.length} runs, ${sum(runs, ({ processes }) => processes)} processes, ${killed.length} killed (${PHASES.map((phase) => `${phase} ${total(phase)}`).join(', ')}), ${faults.length} faults`,
    `  repeated: ${sum(runs, modelRepeats)} model calls, ${sum(runs, (run) => toolRepeats(run, 'read'))} read, ${sum(runs, (run) => toolRepeats(run, 'keyed'))} keyed, ${sum(runs, (run) => toolRepeats(run, 'once') + toolRepeats(run, 'asks') + toolRepeats(run, 'traced'))} once; ` +
      `reconcile asked ${sum(runs, ({ ledger }) => ledger.filter(({ looked }) => looked).length)} times; calls told to be interrupted ${sum(runs, interrupted)}`,
    `  ${'written'.padEnd(34)}${PHASES.map((phase) => phase.padStart(8)).join('')}`,
    ...[...places].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, row]) => `  ${what.padEnd(34)}${PHASES.map((phase) => String(row.get(phase) ?? 0).padStart(8)).join('')}`),
  ];
  return `${lines.join('\n')}\n`;
}

function modelRepeats({ ledger }: RunReport): number {
  const calls = ledger.flatMap(({ model, at }) => (model === undefined ? [] : [`${model} ${at}`]));
  return calls.length - new Set(calls).size;
}
function toolRepeats({ ledger }: RunReport, name: string): number {
  const calls = ledger.flatMap(({ tool, n }) => (tool === name ? [n] : []));
  return calls.length - new Set(calls).size;
}
function interrupted({ ledger }: RunReport): number {
  return ledger.filter(({ durable }) => durable?.state === 'interrupted').length;
}
function sum(runs: readonly RunReport[], count: (run: RunReport) => number): number {
  return runs.reduce((total, run) => total + count(run), 0);
}
