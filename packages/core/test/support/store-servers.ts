import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A database server of the test's own, which it may kill. */
export interface OwnServer {
  readonly url: string;
  /** Without a goodbye to its clients. */
  stop(): Promise<void>;
  /** On the same port, with what it had. */
  start(): Promise<void>;
  /** Stops it and takes its files away. */
  dispose(): Promise<void>;
}

/** Whether this machine has a `redis-server`. */
export function hasRedis(): boolean {
  return run(['redis-server', '--version']);
}

/** Undefined where there is no `redis-server`. With `cluster` it is the only node of one. */
export async function ownRedis({ cluster = false }: { cluster?: boolean } = {}): Promise<OwnServer | undefined> {
  if (!hasRedis()) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'agentscope-redis-'));
  const port = await freePort();
  const words = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
  const command = ['redis-server', ...words, ...(cluster ? ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1', '--cluster-port', String(await freePort())] : [])];
  const server = await started({ command, port, folder, url: `redis://127.0.0.1:${port}`, signal: 'SIGKILL' });
  if (cluster) await claimAllSlots(port);
  return server;
}

/** Undefined where there is no PostgreSQL in its usual place. It does not run as root, so root lends it another user's rights. */
export async function ownPostgres(): Promise<OwnServer | undefined> {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').sort() : [];
  const bin = `/usr/lib/postgresql/${versions.at(-1)}/bin`;
  if (!existsSync(join(bin, 'postgres'))) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'agentscope-postgres-'));
  const as = process.getuid?.() === 0 ? lend(folder) : [];
  if (as === undefined) return undefined;
  const made = run([...as, join(bin, 'initdb'), '-D', folder, '-U', 'agentscope', '-A', 'trust', '-E', 'UTF8', '--no-sync']);
  if (!made) return undefined;
  const port = await freePort();
  const command = [...as, join(bin, 'postgres'), '-D', folder, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
  // SIGQUIT ends it at once, its children too, as a crash would.
  return started({ command, port, folder, url: `postgres://agentscope@127.0.0.1:${port}/postgres`, signal: 'SIGQUIT' });
}

/** Between a client and a server; can lose replies. */
export interface LossyProxy {
  readonly port: number;
  /** How many of the next replies to requests with this text are lost: the server does the work, the connection breaks instead of the answer. */
  lose(request: string, times: number): void;
  /** How many were lost. */
  readonly lost: number;
  close(): Promise<void>;
}

export async function lossyProxy(target: { readonly hostname: string; readonly port: number }): Promise<LossyProxy> {
  let wanted = '';
  let left = 0;
  let lost = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = createConnection(target.port, target.hostname);
    let isLosing = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => [client, upstream].forEach((each) => each.destroy()));
    }
    client.on('data', (bytes) => {
      isLosing ||= left > 0 && bytes.toString('latin1').toUpperCase().includes(wanted);
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (!isLosing) return void client.write(bytes);
      if (left > 0) [left, lost] = [left - 1, lost + 1];
      client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    lose(request, times) {
      [wanted, left] = [request.toUpperCase(), times];
    },
    get lost() {
      return lost;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Starting {
  readonly command: readonly string[];
  readonly port: number;
  readonly folder: string;
  readonly url: string;
  readonly signal: NodeJS.Signals;
}

async function started({ command, port, folder, url, signal }: Starting): Promise<OwnServer> {
  let child: ChildProcess | undefined;
  const server: OwnServer = {
    url,
    async start() {
      const [program = '', ...words] = command;
      child = spawn(program, words, { stdio: 'ignore', cwd: '/' });
      await reachable(port);
    },
    async stop() {
      const running = child;
      if (running?.exitCode !== null) return;
      const ended = new Promise((resolve) => running.once('exit', resolve));
      running.kill(signal);
      await ended;
    },
    async dispose() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

function lend(folder: string): readonly string[] | undefined {
  const [uid, gid] = ['-u', '-g'].map((which) => Number(spawnSync('id', [which, 'postgres'], { encoding: 'utf8' }).stdout.trim() || NaN));
  if (uid === undefined || gid === undefined || Number.isNaN(uid + gid)) return undefined;
  chownSync(folder, uid, gid);
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}

function run([program = '', ...words]: readonly string[]): boolean {
  return spawnSync(program, words, { cwd: '/', stdio: 'ignore' }).status === 0;
}

async function claimAllSlots(port: number): Promise<void> {
  run(['redis-cli', '-p', String(port), 'cluster', 'addslotsrange', '0', '16383']);
  for (let tries = 0; tries < 100; tries++) {
    const { stdout } = spawnSync('redis-cli', ['-p', String(port), 'cluster', 'info'], { encoding: 'utf8' });
    if (stdout.includes('cluster_state:ok')) return;
    await pause();
  }
}

async function reachable(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isUp) return;
    await pause();
  }
  throw new Error(`nothing listens on port ${port}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
