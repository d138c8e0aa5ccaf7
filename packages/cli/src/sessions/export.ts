import { writeFile } from 'node:fs/promises';
import { EXIT } from '../exit-codes.ts';
import { clip, UsageError } from '../flags.ts';
import type { Flags } from '../flags.ts';
import { nearest } from '../nearest.ts';
import { printable } from '../printable.ts';
import { EXPORT_HELP } from './help.ts';
import { withSession } from './open.ts';
import { targetOf } from './options.ts';
import type { SessionCommand } from './options.ts';

type Format = 'json' | 'jsonl' | 'markdown';

const FORMATS: readonly Format[] = ['json', 'jsonl', 'markdown'];

export const exportCommand: SessionCommand = {
  help: EXPORT_HELP,
  flags: { format: { type: 'string' }, out: { type: 'string' } },
  takesId: true,
  job(flags) {
    const target = targetOf(flags);
    const format = formatOf(flags);
    const out = flags.text('out');
    return {
      session: target.id,
      run: (surroundings) =>
        withSession(target, surroundings, async ({ session }) => {
          const { output } = surroundings;
          const text = await session.exportTranscript(format);
          if (out === undefined) output.write(output.isTerminal ? printable(text) : text);
          else await writeFile(out, text);
          return EXIT.done;
        }),
    };
  },
};

function formatOf(flags: Flags): Format {
  const name = flags.text('format');
  if (name === undefined) return byEnding(flags.text('out') ?? '');
  const format = FORMATS.find((known) => known === name);
  if (format !== undefined) return format;
  const [near] = nearest(name, FORMATS);
  throw new UsageError(`There is no format ${clip(name)}. ${near === undefined ? `There are: ${FORMATS.join(', ')}.` : `Did you mean ${near}?`}`);
}

function byEnding(file: string): Format {
  if (file.endsWith('.json')) return 'json';
  return file.endsWith('.jsonl') ? 'jsonl' : 'markdown';
}
