import { parseArgs } from 'node:util';
import { nearest } from './nearest.ts';

/** What the command line asked for. */
export interface CliOptions {
  /** One turn with this text; absent: a chat. */
  readonly message: string | undefined;
  readonly session: string | undefined;
  readonly continue: boolean;
  /** Folder of the sessions. */
  readonly store: string;
  readonly model: string | undefined;
  readonly events: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

/** The command line cannot be understood: said on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

const DEFAULT_STORE = '.agentscope/sessions';

const FLAGS = {
  message: { type: 'string', short: 'm' },
  session: { type: 'string' },
  continue: { type: 'boolean' },
  store: { type: 'string' },
  model: { type: 'string' },
  events: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** @throws UsageError for a flag nobody knows, a missing or empty value, and flags that do not go together. */
export function readArgs(argv: readonly string[]): CliOptions {
  const { values, tokens } = parse(argv);
  for (const token of tokens) checkToken(token);
  const options: CliOptions = {
    message: textOf(values.message),
    session: textOf(values.session),
    continue: values.continue === true,
    store: textOf(values.store) ?? DEFAULT_STORE,
    model: textOf(values.model),
    events: values.events === true,
    help: values.help === true,
    version: values.version === true,
  };
  if (!options.help && !options.version) checkTogether(options, { hasStore: values.store !== undefined });
  return options;
}

/** Not strict, so that the words about what is wrong are ours. */
const parse = (argv: readonly string[]) => parseArgs({ args: [...argv], options: FLAGS, strict: false, tokens: true });

function checkToken(token: ReturnType<typeof parse>['tokens'][number]): void {
  if (token.kind === 'positional') throw new UsageError(`What is "${clip(token.value)}" for? To say it to the agent, write: -m ${JSON.stringify(clip(token.value))}`);
  if (token.kind !== 'option') return;
  const flag = Object.entries(FLAGS).find(([name]) => name === token.name)?.[1];
  if (flag === undefined) throw new UsageError(unknownFlag(token.rawName));
  if (flag.type === 'boolean' && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value.`);
  if (flag.type === 'string') checkValue(token.rawName, token.value);
}

function checkValue(flag: string, value: string | undefined): void {
  if (value === undefined || (isFlag(value) && value !== '-')) throw new UsageError(`${flag} needs a value after it.`);
  if (value.trim() !== '') return;
  const isMessage = flag === '-m' || flag === '--message';
  throw new UsageError(isMessage ? `${flag} is empty: there is nothing to say to the agent.` : `${flag} is empty.`);
}

function checkTogether({ message, session, continue: goOn, events }: CliOptions, { hasStore }: { hasStore: boolean }): void {
  if (goOn && session === undefined) throw new UsageError('--continue needs --session <id>: which conversation shall go on?');
  if (goOn && message !== undefined) throw new UsageError('--continue finishes a reply and takes no -m. Use one of the two.');
  if (events && message === undefined && !goOn) throw new UsageError('--events shows one turn: it needs -m <text> or --continue.');
  if (hasStore && session === undefined) throw new UsageError('--store says where sessions are kept, so it needs --session <id>.');
}

function unknownFlag(flag: string): string {
  const [near] = nearest(flag, flagTexts(), { within: flag.length > 4 ? 3 : 1 });
  return `There is no ${clip(flag)}.${near === undefined ? '' : ` Did you mean ${near}?`}`;
}

function isFlag(value: string): boolean {
  return flagTexts().includes(value);
}

function flagTexts(): readonly string[] {
  return Object.entries(FLAGS).flatMap(([name, flag]) => ('short' in flag ? [`--${name}`, `-${flag.short}`] : [`--${name}`]));
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
