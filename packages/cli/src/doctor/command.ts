import { readAllSettings } from '../config/settings.ts';
import type { Settings } from '../config/settings.ts';
import type { Surroundings } from '../conversation.ts';
import { EXIT } from '../exit-codes.ts';
import { readFlags, UsageError } from '../flags.ts';
import { printJob } from '../job.ts';
import type { Job } from '../job.ts';
import { printable } from '../printable.ts';
import { configFinding, keysFinding, modelFinding, nodeFinding, storeFinding, terminalFinding } from './checks.ts';
import type { Finding } from './checks.ts';

const HELP = `agentscope doctor: whether everything is there that a conversation needs.

      --model <id>       look at this model
      --config <file>    with this configuration
      --json             as JSON: about, state (ok, note, bad), words

Looks at Node, the terminal, the configuration, keys (whether they are there, never what they are), the model (it is
asked for one word) and the folder of the sessions.

Exit codes: 0 all is well · 1 something is to be mended · 2 the command line was wrong
`;

/** `agentscope doctor`. @throws UsageError */
export function doctorJob(argv: readonly string[]): Job {
  const flags = readFlags(argv, { model: { type: 'string' }, config: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } });
  if (flags.has('help')) return printJob(HELP);
  if (flags.positionals.length > 0) throw new UsageError('doctor takes no word behind it.');
  return {
    async run(surroundings) {
      const findings: Finding[] = [];
      for await (const finding of examine({ model: flags.text('model'), config: flags.text('config') })) {
        findings.push(finding);
        if (!flags.has('json')) show(finding, surroundings);
      }
      if (flags.has('json')) surroundings.output.write(`${JSON.stringify(findings, null, 2)}\n`);
      return findings.some(({ state }) => state === 'bad') ? EXIT.failed : EXIT.done;
    },
  };
}

async function* examine(flags: { readonly model: string | undefined; readonly config: string | undefined }): AsyncGenerator<Finding> {
  yield nodeFinding(process.versions.node);
  const { isTTY, columns, rows } = process.stdout;
  yield terminalFinding({ env: process.env, isTerminal: isTTY, columns, rows, depth: isTTY ? process.stdout.getColorDepth() : 1 });
  let settings: Settings;
  try {
    settings = await readAllSettings(flags, { cwd: process.cwd(), env: process.env });
  } catch (error) {
    return yield { about: 'config', state: 'bad', words: error instanceof Error ? error.message : String(error) };
  }
  yield configFinding(settings);
  const { ModelRegistry, UserMessage } = await import('@agentscope/core');
  yield keysFinding(ModelRegistry, process.env);
  yield await modelFinding(ModelRegistry, settings, new UserMessage('Say ok.'));
  yield await storeFinding(settings);
}

const MARKS: Readonly<Record<Finding['state'], string>> = { ok: '✓', note: '·', bad: '✗' };

function show({ about, state, words }: Finding, { output }: Surroundings): void {
  output.write(`${MARKS[state]} ${about.padEnd(10)} ${printable(words)}\n`);
}
