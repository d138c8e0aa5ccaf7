import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { EXIT } from '../exit-codes.ts';
import { clip, readFlags, UsageError } from '../flags.ts';
import { version } from '../help.ts';
import { printJob } from '../job.ts';
import type { Job } from '../job.ts';
import { printable } from '../printable.ts';
import { projectFiles } from './files.ts';

const HELP = `agentscope init [folder]: a small project with an agent, a tool, a test and a program, here or in a new folder.

      --name <name>      of the package (default: that of the folder)

Nothing that is there is written over: where a file of the project exists, nothing is written at all.

Exit codes: 0 done · 1 failed · 2 the command line was wrong, or a file exists already
`;

/** `agentscope init`. @throws UsageError */
export function initJob(argv: readonly string[]): Job {
  const flags = readFlags(argv, { name: { type: 'string' }, help: { type: 'boolean', short: 'h' } });
  if (flags.has('help')) return printJob(HELP);
  const [folder = '.', stray] = flags.positionals;
  if (stray !== undefined) throw new UsageError(`What is "${clip(stray)}" for? init takes one folder.`);
  return {
    async run({ output }) {
      const target = resolve(folder);
      const files = projectFiles({ name: packageName(flags.text('name') ?? basename(target)), core: version() });
      const taken = files.filter(({ path }) => existsSync(join(target, path))).map(({ path }) => path);
      if (taken.length > 0) throw new UsageError(`${printable(folder)} has ${taken.join(', ')} already, so nothing was written. Choose a new folder: agentscope init <folder>`);
      for (const { path, text } of files) {
        await mkdir(dirname(join(target, path)), { recursive: true });
        await writeFile(join(target, path), text, { flag: 'wx' });
      }
      const into = folder === '.' ? '' : `cd ${printable(folder)} && `;
      output.write(`${files.map(({ path }) => `  ${path}\n`).join('')}\nNext: ${into}npm install && npm test && npm start\n`);
      return EXIT.done;
    },
  };
}

/** What npm takes. */
function packageName(text: string): string {
  const name = text.toLowerCase().replace(/[^a-z0-9._@/-]+/g, '-').replace(/^[._-]+|[-]+$/g, '');
  return name === '' ? 'my-agent' : name;
}
