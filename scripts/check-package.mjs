// Packs each public package as `npm publish` would, then lets publint and Are The Types Wrong look at the tarball.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agentscope-pack-'));
try {
  const checked = publicPackages().map((name) => checkPackage(name));
  process.exitCode = checked.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

function publicPackages() {
  const names = readdirSync(join(root, 'packages'));
  return names.filter((name) => manifest(name).private !== true);
}

function checkPackage(name) {
  console.log(`package: ${manifest(name).name}, packed`);
  const before = new Set(readdirSync(folder));
  if (!run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, '--workspace', `packages/${name}`])) return false;
  const tarball = join(folder, readdirSync(folder).find((file) => !before.has(file)) ?? '');
  const published = run(bin('publint'), ['run', tarball, '--strict']);
  // A package that is only a program has no types to look at.
  const typed = !hasEntries(name) || run(bin('attw'), [tarball, '--profile', 'esm-only', '--no-emoji', '--format', 'ascii']);
  return published && typed;
}

function hasEntries(name) {
  return manifest(name).exports !== undefined;
}

function manifest(name) {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
}

function bin(name) {
  return join(root, 'node_modules', '.bin', name);
}

/** Quiet when all is well: both tools print pages about nothing. */
function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (status !== 0) console.error(`${stdout}${stderr}`);
  return status === 0;
}
