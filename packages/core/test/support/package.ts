import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = new URL('../../', import.meta.url);

/** A file of the core package, by its path inside it. */
export const packageFile = (path: string): string => fileURLToPath(new URL(path, here));

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string } | string>>;
}

export interface Entry {
  readonly specifier: string;
  /** What runs, and what the compiler reads. */
  readonly file: string;
  readonly declarations: string;
}

/** Entries of the package as people import them. */
export function entries(): Entry[] {
  const { name, exports } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as Manifest;
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return [];
    return [{ specifier: path.replace('.', name), file: packageFile(target.default), declarations: packageFile(target.types) }];
  });
}
