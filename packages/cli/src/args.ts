import type { PermissionMode } from '@agentscope/core';
import { clip, readFlags, UsageError, wholeNumber } from './flags.ts';
import { isMode, MODES } from './modes.ts';
import { nearest } from './nearest.ts';

/** What the command line asked for. */
export interface CliOptions {
  /** One turn with this text; absent: a chat. */
  readonly message: string | undefined;
  readonly session: string | undefined;
  readonly continue: boolean;
  /** Folder of the sessions. */
  readonly store: string | undefined;
  /** A file, instead of the one of this folder. */
  readonly config: string | undefined;
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly events: boolean;
  /** The reply as one JSON object, instead of its text. */
  readonly json: boolean;
  /** Model calls of one reply. */
  readonly maxIters: number | undefined;
  /** Seconds a single turn may take. */
  readonly timeout: number | undefined;
  /** Line by line, without colours and repainting: for screen readers. */
  readonly plain: boolean;
  readonly mode: PermissionMode | undefined;
  /** Rules of tools that run unasked. */
  readonly allow: readonly string[];
  readonly help: boolean;
  readonly version: boolean;
}

/** What may stand first on the command line, before its flags. */
const COMMANDS: readonly string[] = ['chat', 'sessions', 'replay', 'models', 'config', 'doctor', 'init'];

const FLAGS = {
  message: { type: 'string', short: 'm' },
  session: { type: 'string' },
  continue: { type: 'boolean' },
  store: { type: 'string' },
  config: { type: 'string' },
  agent: { type: 'string' },
  model: { type: 'string' },
  events: { type: 'boolean' },
  json: { type: 'boolean' },
  'max-iters': { type: 'string' },
  timeout: { type: 'string' },
  plain: { type: 'boolean' },
  mode: { type: 'string' },
  allow: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** @throws UsageError for a flag nobody knows, a missing or empty value, and flags that do not go together. */
export function readArgs(argv: readonly string[]): CliOptions {
  const flags = readFlags(argv, FLAGS);
  const [word] = flags.positionals;
  if (word !== undefined) throw new UsageError(strayWord(word));
  const options: CliOptions = {
    message: flags.text('message'),
    session: flags.text('session'),
    continue: flags.has('continue'),
    store: flags.text('store'),
    config: flags.text('config'),
    agent: flags.text('agent'),
    model: flags.text('model'),
    events: flags.has('events'),
    json: flags.has('json'),
    maxIters: wholeNumber(flags, 'max-iters', 1),
    timeout: wholeNumber(flags, 'timeout', 1),
    plain: flags.has('plain'),
    mode: modeOf(flags.text('mode')),
    allow: flags.texts('allow'),
    help: flags.has('help'),
    version: flags.has('version'),
  };
  if (!options.help && !options.version) checkTogether(options);
  return options;
}

/** @throws UsageError for a word that is no mode */
function modeOf(word: string | undefined): PermissionMode | undefined {
  if (word === undefined || isMode(word)) return word;
  const [near] = nearest(word, MODES);
  throw new UsageError(`There is no mode ${clip(word)}. ${near === undefined ? `Modes are ${MODES.join(', ')}.` : `Did you mean ${near}?`}`);
}

function strayWord(word: string): string {
  if (COMMANDS.includes(word)) return `${word} stands first, before every flag: agentscope ${word} …`;
  const [near] = nearest(word, COMMANDS);
  if (near !== undefined) return `There is no command ${clip(word)}. Did you mean ${near}?`;
  return `What is "${clip(word)}" for? To say it to the agent, write: -m ${JSON.stringify(clip(word))}`;
}

function checkTogether({ message, session, continue: goOn, events, json, timeout, plain, store }: CliOptions): void {
  if (goOn && session === undefined) throw new UsageError('--continue needs --session <id>: which conversation shall go on?');
  if (goOn && message !== undefined) throw new UsageError('--continue finishes a reply and takes no -m. Use one of the two.');
  const isChat = message === undefined && !goOn;
  if (events && isChat) throw new UsageError('--events shows one turn: it needs -m <text> or --continue.');
  if (json && isChat) throw new UsageError('--json shows one reply: it needs -m <text> or --continue.');
  if (json && events) throw new UsageError('--json prints the reply once it has ended, --events what happens on the way. Use one of the two.');
  if (timeout !== undefined && isChat) throw new UsageError('--timeout holds for one turn: it needs -m <text> or --continue.');
  if (plain && !isChat) throw new UsageError('--plain is for the chat: -m and --continue print plain text anyway.');
  if (store !== undefined && session === undefined) throw new UsageError('--store says where sessions are kept, so it needs --session <id>.');
}
