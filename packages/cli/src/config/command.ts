import { EXIT } from '../exit-codes.ts';
import { readFlags, UsageError } from '../flags.ts';
import { printJob } from '../job.ts';
import type { Job } from '../job.ts';
import { printable } from '../printable.ts';
import { readAllSettings } from './settings.ts';
import type { Setting, Settings } from './settings.ts';

const HELP = `agentscope config: what holds, and who says so.

      --json             as JSON: each setting with its value and where it is from
      --config <file>    this configuration, instead of agentscope.config.ts, .mjs or .json of this folder
      --agent <name>     for this agent

A flag is stronger than the environment (AGENTSCOPE_MODEL, AGENTSCOPE_AGENT, AGENTSCOPE_STORE, AGENTSCOPE_MODE,
AGENTSCOPE_MAX_ITERS, AGENTSCOPE_CONFIG), that is stronger than the configuration, and that than what is built in.

Exit codes: 0 done · 2 the configuration, or the command line, is wrong
`;

/** `agentscope config`. @throws UsageError */
export function configJob(argv: readonly string[]): Job {
  const flags = readFlags(argv, { json: { type: 'boolean' }, config: { type: 'string' }, agent: { type: 'string' }, help: { type: 'boolean', short: 'h' } });
  if (flags.has('help')) return printJob(HELP);
  if (flags.positionals.length > 0) throw new UsageError('config takes no word behind it.');
  return {
    async run({ output }) {
      const settings = await readAllSettings({ config: flags.text('config'), agent: flags.text('agent') }, { cwd: process.cwd(), env: process.env });
      output.write(flags.has('json') ? `${JSON.stringify({ file: settings.file ?? null, ...Object.fromEntries(rowsOf(settings)) }, null, 2)}\n` : tableOf(settings));
      return EXIT.done;
    },
  };
}

type Row = readonly [name: string, setting: Setting<unknown>];

function rowsOf({ file: _file, tools, sysPrompt, ...rest }: Settings): readonly Row[] {
  const named = tools.value?.map(({ name }) => name);
  return [...Object.entries(rest), ['sysPrompt', { ...sysPrompt, value: sysPrompt.value ?? null }], ['tools', { ...tools, value: named ?? null }]];
}

function tableOf(settings: Settings): string {
  const lines = rowsOf(settings).map(([name, { value, from }]) => `${name.padEnd(10)} ${wordsFor(value).padEnd(28)} (${from})\n`);
  return `${settings.file === undefined ? 'There is no agentscope.config.ts, .mjs or .json here.\n' : `${printable(settings.file)}\n`}${lines.join('')}`;
}

function wordsFor(value: unknown): string {
  if (value === null) return '(its own)';
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : printable(value.join(', '));
  if (typeof value === 'object') return Object.keys(value).length === 0 ? '(none)' : printable(Object.keys(value).join(', '));
  return printable(String(value)).replace(/\s+/g, ' ').slice(0, 60);
}
