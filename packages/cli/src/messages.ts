import { hostname } from 'node:os';
import type { ErrorCode, ErrorDetails } from '@agentscope/core';
import { EXIT } from './exit-codes.ts';
import { UsageError } from './flags.ts';
import { printable } from './printable.ts';

/** What was being done, for the words. */
export interface Circumstances {
  /** `--session`. */
  readonly session?: string | undefined;
  /** `--model`. */
  readonly model?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** An error in plain words: what happened, to what, and what to do. Never shows a key. */
export async function explain(error: unknown, circumstances: Circumstances = {}): Promise<string> {
  return printable(await wordsFor(error, circumstances));
}

/** Another process is writing the session. */
export function isConflict(error: unknown): boolean {
  return isLibraryError(error) && error.code === 'session/conflict';
}

/** The exit code for an error. */
export function exitCodeOf(error: unknown): number {
  const isUsage = error instanceof UsageError || (isLibraryError(error) && error.code === 'config/invalid' && error.details.option === 'model');
  return isUsage ? EXIT.usage : EXIT.failed;
}

async function wordsFor(error: unknown, { session = '', model, env = process.env }: Circumstances): Promise<string> {
  if (error instanceof UsageError) return `${error.message} (--help lists everything)`;
  if (!isLibraryError(error)) return error instanceof Error ? error.message : String(error);
  const { code, message } = error;
  const { variable, host, status, option, providerCode } = error.details;
  switch (code) {
    case 'config/invalid':
      if (option === 'model') return `${message.replace(/ Others: .*$/, '')} Choose one with --model or AGENTSCOPE_MODEL.`;
      if (option === 'baseUrl') return `${(await urlVariable(model, env)) ?? 'The base address of the model'} is not an http or https address.`;
      return message;
    case 'model/auth':
      if (status === undefined) return missingKey(variable, env);
      return `The key in ${variable ?? 'the request'} was refused${status < 400 ? '' : ` (HTTP ${status})`}. Check that it is valid${at(await urlVariable(model, env), env)}.`;
    case 'model/network':
      if (providerCode !== undefined) return message; // it says what to do
      return `${host ?? 'The model'} could not be reached, or the connection broke. Check the network${andVariable(await urlVariable(model, env), env)}.`;
    case 'session/conflict':
      return `The session "${session}" is being written by ${writer(error.details.holder)}. Wait until that one has ended, use another --session, or look on: agentscope sessions watch ${/^[\w.-]+$/.test(session) ? session : JSON.stringify(session)}`;
    case 'session/lease-lost':
      return `Another process has taken the session "${session}" over. What it wrote counts; start again to go on from there.`;
    default:
      return `${message}${cause(error)}`;
  }
}

/** The library's error as far as it is needed here, told without loading the library. */
interface LibraryError extends Error {
  readonly code: ErrorCode;
  readonly details: Partial<ErrorDetails['model/auth'] & ErrorDetails['model/network'] & ErrorDetails['config/invalid'] & ErrorDetails['session/conflict']>;
}

function isLibraryError(error: unknown): error is LibraryError {
  return error instanceof Error && error.name === 'AgentScopeError' && 'code' in error && 'details' in error;
}

function writer(holder: ErrorDetails['session/conflict']['holder']): string {
  if (holder === undefined) return 'another process';
  return `another process (${holder.pid}${holder.host === hostname() ? '' : ` on ${holder.host}`})`;
}

function missingKey(variable: string | undefined, env: NonNullable<Circumstances['env']>): string {
  if (variable !== undefined && env[variable]?.trim()) return `The key in ${variable} holds a character that cannot be sent. Copy it again.`;
  return `There is no key: set ${variable ?? 'the variable of the provider'}, or use --model offline:demo.`;
}

/** The variable that says where the provider's server is. The library is there already: the error came from it. */
async function urlVariable(model: string | undefined, env: NonNullable<Circumstances['env']>): Promise<string | undefined> {
  const [{ findModelId }, { urlVariableOf }] = await Promise.all([import('./find-model.ts'), import('./model.ts')]);
  return urlVariableOf(await findModelId(model, env));
}

function at(variable: string | undefined, env: NonNullable<Circumstances['env']>): string {
  const address = variable === undefined ? undefined : env[variable];
  return address ? ` at ${URL.canParse(address) ? new URL(address).host : variable}` : '';
}

function andVariable(variable: string | undefined, env: NonNullable<Circumstances['env']>): string {
  return variable !== undefined && env[variable] ? ` and ${variable}` : '';
}

/** What the operating system said, where it did: a full disk, a folder that may not be written. */
function cause(error: Error): string {
  const { cause: below } = error;
  return error instanceof Error && below instanceof Error && 'code' in below ? ` (${below.message})` : '';
}
