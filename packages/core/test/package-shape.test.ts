import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { packageFile } from './support/package.ts';

/** Gzipped bytes of what a page loads before it asks for anything else. Raise it on purpose only, and say why in the commit. */
const ROOT_CEILING = 112_000;

const MAX_PACKAGES = 6;

interface Chunk {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
}

test('the root bundles for a browser without node: modules', async () => {
  const imports = (await browserBundle()).flatMap((chunk) => chunk.imports.map(({ path }) => path));
  expect(imports.filter((path) => path.startsWith('node:'))).toEqual([]);
});

test('what a page loads first names no global of Node', async () => {
  const text = loadedFirst(await browserBundle()).map((chunk) => chunk.text).join('\n');
  expect(text.match(/(?<![.\w$"'`/-])(process|Buffer|__dirname|require)\b(?=[.[(])/g) ?? []).toEqual([]);
});

test('what a page loads first stays under its byte ceiling', async () => {
  const bytes = loadedFirst(await browserBundle()).reduce((sum, { text }) => sum + gzipSync(text).length, 0);
  expect(bytes).toBeLessThanOrEqual(ROOT_CEILING);
});

test('a page that imports one name still knows the providers, which are loaded when used', async () => {
  const stdin = { contents: `import { ReActAgent } from '@agentscope/core';\nglobalThis.kept = ReActAgent;`, resolveDir: packageFile('.') };
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', platform: 'browser', external: ['node:*'], write: false, logLevel: 'silent' });
  expect(outputFiles[0]?.text).toContain('registerFactory("openai"');
});

test(`installing the package brings at most ${MAX_PACKAGES} packages, itself included`, () => {
  expect(runtimePackages().length).toBeLessThanOrEqual(MAX_PACKAGES);
});

/** The root as a bundler for pages would cut it: one chunk for what is imported at once, others for what is loaded when used. */
async function browserBundle(): Promise<Chunk[]> {
  const result = await build({
    entryPoints: [packageFile('dist/bundle/index.js')],
    outdir: packageFile('dist/page'),
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    external: ['node:*'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  return Object.entries(result.metafile.outputs).map(([path, { imports }]) => {
    const file = result.outputFiles.find((each) => each.path.endsWith(path.slice(path.lastIndexOf('/'))));
    return { path, text: file?.text ?? '', imports };
  });
}

function loadedFirst(chunks: Chunk[]): Chunk[] {
  const seen = new Set(chunks.filter(({ path }) => path.endsWith('/index.js')).slice(0, 1));
  for (const chunk of seen) {
    const wanted = chunk.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path);
    for (const next of chunks) if (wanted.includes(next.path)) seen.add(next);
  }
  return [...seen];
}

interface LockEntry {
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** The package and all it needs at run time, from the lock file. */
function runtimePackages(): string[] {
  const lock = fileURLToPath(new URL('../../../package-lock.json', import.meta.url));
  const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as { packages: Readonly<Record<string, LockEntry>> };
  const found = new Set(['packages/core']);
  for (const path of found) for (const name of Object.keys(packages[path]?.dependencies ?? {})) found.add(`node_modules/${name}`);
  return [...found];
}
