import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = new URL('../../', import.meta.url);

/** A file of the core package, by its path inside it. */
export const packageFile = (path: string): string => fileURLToPath(new URL(path, here));

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
}

/** Entries of the package as people import them, each with its built file. */
export function entries(): { specifier: string; file: string }[] {
  const { name, exports } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as Manifest;
  return Object.entries(exports)
    .filter(([, target]) => target.endsWith('.js'))
    .map(([path, target]) => ({ specifier: path.replace('.', name), file: packageFile(target) }));
}
