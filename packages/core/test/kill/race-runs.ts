import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { foldEvents } from '../../src/event/index.ts';
import type { AgentEvent } from '../../src/event/index.ts';
import { numbering, runsOf, unanswered } from './kill-checks.ts';
import type { KeptSession } from './kill-checks.ts';
import { randomOf } from './kill-plan.ts';
import type { Place } from './kill-runs.ts';

export interface Race {
  readonly run: number;
  readonly processes: 2 | 3;
  readonly ttlMs: number;
  readonly turns: number;
}
export interface RaceReport {
  readonly race: Race;
  readonly stops: number;
  /** Epochs of the journal; replies that another one ended than began them; calls that were refused or lost, by code. */
  readonly epochs: number;
  readonly stolen: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly replies: number;
  readonly faults: readonly string[];
}

interface RaceLine {
  readonly process: number;
  readonly tool?: string;
  readonly n?: string;
  readonly key?: string;
  readonly accepted?: string;
  readonly done?: string;
  readonly reply?: string;
  readonly failed?: string;
  readonly code?: string;
}
type Kept = Pick<KeptSession, 'entries' | 'events' | 'messages'> & { readonly open?: string };

const PROGRAM = fileURLToPath(new URL('racer.mjs', import.meta.url));

/** Leases shorter and longer than a reply takes, with two and with three processes. */
export function raceOf(run: number): Race {
  return { run, processes: (run + Math.floor(run / 4)) % 2 === 0 ? 2 : 3, ttlMs: [10, 60, 25, 150][run % 4] ?? 25, turns: 6 };
}

/** Starts the processes, stops and wakes them at random while they run, and looks at what is left. */
export async function raceRun(place: Place, race: Race, { folder, seed }: { folder: string; seed: number }): Promise<RaceReport> {
  mkdirSync(folder, { recursive: true });
  const files = { ledger: join(folder, 'ledger'), report: join(folder, 'out.json') };
  writeFileSync(files.ledger, '');
  const shared = { place: { ...place, folder }, key: { userId: `race-${race.run}`, sessionId: 's' }, ledger: files.ledger, turns: race.turns, ttlMs: race.ttlMs };
  const racers = Array.from({ length: race.processes }, (_, i) => start({ ...shared, me: i + 1 }));
  const over = Promise.all(racers.map(({ ended }) => ended));
  const stops = await disturb(racers, over, randomOf(seed * 7_919 + race.run));
  const errors = [...(await over), await start({ ...shared, me: 0, report: files.report }).ended].filter((error) => error !== '');
  if (errors.length > 0) return { race, stops, epochs: 0, stolen: 0, failed: {}, replies: 0, faults: errors };
  const ledger = readFileSync(files.ledger, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line) as RaceLine);
  const kept = JSON.parse(readFileSync(files.report, 'utf8')) as Kept;
  const report = judge(race, ledger, kept);
  if (report.faults.length === 0) rmSync(folder, { recursive: true, force: true });
  return { ...report, stops };
}

interface Racer {
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
  /** With what went wrong. */
  readonly ended: Promise<string>;
}

function start(configuration: object): Racer {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(configuration)], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => undefined);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const late = setTimeout(() => {
    errors += 'it hung';
    child.kill('SIGKILL');
  }, 60_000);
  const ended = new Promise<string>((resolve) =>
    child.once('close', (code, signal) => {
      clearTimeout(late);
      resolve(code === 0 ? '' : `a process ended with ${code ?? signal}: ${errors}`);
    }),
  );
  const ready = new Promise<void>((resolve) => {
    child.stdout.once('data', () => resolve());
    child.once('close', () => resolve());
  });
  return { child, ready, ended };
}

/** Stops one process after the other for a while; the others go on and find its lease run out. */
async function disturb(racers: readonly Racer[], over: Promise<unknown>, random: () => number): Promise<number> {
  let running = true;
  let stops = 0;
  void over.then(() => (running = false));
  await Promise.all(racers.map(({ ready }) => ready));
  for (const { child } of racers) child.stdin?.write('go\n');
  while (running) {
    await sleep(random() * 25);
    const racer = racers[Math.floor(random() * racers.length)];
    if (racer === undefined || racer.child.exitCode !== null || !racer.child.kill('SIGSTOP')) continue;
    stops++;
    await sleep(random() * 120);
    racer.child.kill('SIGCONT');
  }
  return stops;
}

function judge(race: Race, ledger: readonly RaceLine[], { entries, events, messages, open }: Kept): Omit<RaceReport, 'stops'> {
  const faults = [...numbering(entries)];
  const failed: Record<string, number> = {};
  for (const { code } of ledger) if (code !== undefined) failed[code] = (failed[code] ?? 0) + 1;
  for (const code of Object.keys(failed)) if (code !== 'session/conflict' && code !== 'session/lease-lost') faults.push(`a call failed with ${code}`);
  faults.push(...messagesThere(race, ledger, entries.flatMap(({ msg }) => (msg ? [msg.id] : []))), ...effects(ledger));
  const order = runsOf(events.map(({ replyId }) => replyId));
  if (new Set(order).size !== order.length) faults.push(`replies are interleaved: ${order.join(' ')}`);
  if (open !== undefined) faults.push(`the reply ${open} is open in the end`);
  let stolen = 0;
  for (const message of messages.filter(({ role }) => role === 'ASSISTANT')) {
    const own = events.filter(({ replyId }) => replyId === message.id);
    if (JSON.stringify(foldEvents(own)) !== JSON.stringify(message)) faults.push(`I1 the fold of ${message.id} is not the message`);
    faults.push(...unanswered(message.content).map((what) => `I4 ${what}`));
    const told = ledger.filter(({ reply }) => reply?.includes(message.id));
    for (const { reply, done } of told) if (reply !== JSON.stringify(message)) faults.push(`${done} was told another reply than the one that is kept`);
    const epochs = new Set(own.map(({ id }) => id.split(':').at(-2)));
    if (epochs.size < 2) continue;
    stolen++;
    const asked = inputsOf(own);
    if (!ledger.some((line) => line.failed !== undefined && asked.includes(line.failed))) faults.push(`who began the reply to ${asked.join()} never learned that it was taken over`);
  }
  return { race, epochs: entries.filter(({ kind }) => kind === 'epoch').length, stolen, failed, replies: order.length, faults };
}

function inputsOf(events: readonly AgentEvent[]): readonly string[] {
  const ids = events[0]?.metadata?.['inputIds'];
  return Array.isArray(ids) ? ids.map(String) : [];
}

/** Each message once, and each call told of its end. */
function messagesThere({ processes, turns }: Race, ledger: readonly RaceLine[], inputs: readonly string[]): readonly string[] {
  const faults = new Set(inputs).size === inputs.length ? [] : ['an input is there twice'];
  const expected = Array.from({ length: processes }, (_, i) => Array.from({ length: turns }, (__, turn) => `p${i + 1}-${turn}`)).flat();
  for (const id of expected) {
    if (!inputs.includes(id)) faults.push(`lost input ${id}`);
    if (ledger.filter(({ done }) => done === id).length !== 1) faults.push(`${id} has no end`);
  }
  for (const { accepted } of ledger) if (accepted !== undefined && !inputs.includes(accepted)) faults.push(`lost input ${accepted}, which had been accepted`);
  return faults;
}

function effects(ledger: readonly RaceLine[]): readonly string[] {
  const runs = new Map<string, string[]>();
  for (const { tool, n, key = '' } of ledger) if (tool !== undefined) runs.set(`${tool} ${n}`, [...(runs.get(`${tool} ${n}`) ?? []), key]);
  return [...runs].flatMap(([call, keys]) => (keys.length > 1 && (call.startsWith('once') || new Set(keys).size > 1) ? [`${call} ran ${keys.length} times under ${new Set(keys).size} keys`] : []));
}
