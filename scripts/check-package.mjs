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
  return names.filter((name) => JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')).private !== true);
}

function checkPackage(name) {
  const before = new Set(readdirSync(folder));
  if (!run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, '--workspace', `packages/${name}`])) return false;
  const tarball = join(folder, readdirSync(folder).find((file) => !before.has(file)) ?? '');
  const published = run(bin('publint'), ['run', tarball, '--strict']);
  // A package that is only a program has no types to look at.
  return hasEntries(name) ? run(bin('attw'), [tarball, '--profile', 'esm-only', '--no-emoji', '--format', 'ascii']) && published : published;
}

const hasEntries = (name) => JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')).exports !== undefined;

const bin = (name) => join(root, 'node_modules', '.bin', name);

function run(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}
