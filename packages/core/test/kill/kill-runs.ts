import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { faultsOf } from './kill-checks.ts';
import type { KeptSession, Line } from './kill-checks.ts';
import type { Kill, Plan } from './kill-plan.ts';

/** A store as the programs are told of it. `name` is a schema or a prefix of the test's own. */
export interface Place {
  readonly store: string;
  readonly url?: string;
  readonly name?: string;
}
export interface RunReport {
  readonly plan: Plan;
  readonly processes: number;
  /** `what` was written, or what the process had done last, and how it was killed. */
  readonly killed: readonly { readonly what: string; readonly phase: string }[];
  readonly ledger: readonly Line[];
  readonly faults: readonly string[];
}

const PROGRAM = fileURLToPath(new URL('program.mjs', import.meta.url));
/** A killed process leaves its leases behind; nobody has to wait longer for one than it takes to start the next. */
const LEASE_MS = 60;
const MOST_PROCESSES = 20;
const LONGEST_MS = 60_000;

/** Kills as planned, starts a fresh process each time, and looks at what is left in the end. */
export async function killRun(place: Place, plan: Plan, folder: string): Promise<RunReport> {
  mkdirSync(folder, { recursive: true });
  const files = { ledger: join(folder, 'ledger'), out: join(folder, 'out.json') };
  const read = (): readonly Line[] => linesOf(readFileSync(files.ledger, 'utf8'));
  writeFileSync(files.ledger, '');
  const killed: { what: string; phase: string }[] = [];
  const kills = [...plan.kills];
  const broken: string[] = [];
  let processes = 0;
  for (; processes < MOST_PROCESSES; processes++) {
    const kill = kills[0];
    const before = read().length;
    const { run, durability, approval, resume } = plan;
    const key = { userId: `run-${run}`, sessionId: 's' };
    const ended = await start({ place: { ...place, folder }, key, ...files, durability, approval, resume, incarnation: processes, ttlMs: LEASE_MS, kill: kill?.how === 'write' ? kill : null }, kill);
    if (ended.signal === 'SIGKILL') {
      kills.shift();
      const last = read().slice(before).at(-1);
      killed.push(last?.killed === undefined ? { phase: 'time', what: doing(last) } : { phase: last.killed, what: last.what ?? '' });
      continue;
    }
    if (ended.code === 0) break;
    if (ended.code === 7) continue;
    broken.push(`a process ended with ${ended.code ?? ended.signal}: ${ended.errors}`);
    break;
  }
  const ledger = read();
  const finished = existsSync(files.out);
  const sessions = finished ? (JSON.parse(readFileSync(files.out, 'utf8')) as readonly KeptSession[]) : [];
  const faults = [...broken, ...(finished ? faultsOf(ledger, sessions) : ['it never finished'])];
  if (faults.length === 0) rmSync(folder, { recursive: true, force: true });
  return { plan, processes: processes + 1, killed, ledger, faults };
}

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly errors: string;
}

function start(configuration: object, kill: Kill | undefined): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(configuration)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  const late = setTimeout(() => {
    errors += 'it hung';
    child.kill('SIGABRT');
  }, LONGEST_MS);
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  let lines = 0;
  child.stdout.on('data', (dots: Buffer) => {
    const before = lines;
    lines += dots.length;
    if (kill?.how === 'time' && before < kill.lines && lines >= kill.lines) setTimeout(() => child.kill('SIGKILL'), kill.ms);
  });
  return new Promise((resolve) =>
    child.once('close', (code, signal) => {
      clearTimeout(late);
      resolve({ code, signal, errors });
    }),
  );
}

/** A process that is killed in the middle of a line leaves no half of it: each is one write. */
function linesOf(text: string): readonly Line[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
}

/** What a process was at when a clock killed it, by the last thing it did. */
function doing(last: Line | undefined): string {
  if (last === undefined) return 'starting';
  const whose = last.model === 'helper' || last.session?.includes('/') ? 'child: ' : '';
  if (last.tool !== undefined) return `a tool had its effect (${last.tool})`;
  if (last.model !== undefined) return `${whose}the model speaks`;
  if (last.durable !== undefined) return `${whose}behind a ${last.durable.input === undefined ? 'result' : 'message'}`;
  return 'other';
}
