import { parseArgs } from 'node:util';
import { nearest } from './nearest.ts';

/** The command line cannot be understood: said on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

export type FlagTable = Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly short?: string; readonly multiple?: boolean }>>;

/** What a command line says. */
export interface Flags {
  readonly positionals: readonly string[];
  /** The value of a flag that takes one. */
  text(name: string): string | undefined;
  /** The values of a flag that may come several times. */
  texts(name: string): readonly string[];
  has(name: string): boolean;
}

/** @throws UsageError for a flag that is not in the table, and for a missing or empty value. */
export function readFlags(argv: readonly string[], table: FlagTable): Flags {
  // Not strict, so that the words about what is wrong are ours.
  const { values, positionals, tokens } = parseArgs({ args: [...argv], options: table, strict: false, tokens: true });
  for (const token of tokens) if (token.kind === 'option') checkFlag(token, table);
  return {
    positionals,
    text: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
    texts: (name) => [values[name] ?? []].flat().filter((value) => typeof value === 'string'),
    has: (name) => values[name] !== undefined,
  };
}

interface FlagToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
}

function checkFlag({ name, rawName, value }: FlagToken, table: FlagTable): void {
  const flag = Object.entries(table).find(([known]) => known === name)?.[1];
  if (flag === undefined) throw new UsageError(unknownFlag(rawName, table));
  if (flag.type === 'boolean' && value !== undefined) throw new UsageError(`${rawName} takes no value.`);
  if (flag.type === 'boolean') return;
  if (value === undefined || (flagTexts(table).includes(value) && value !== '-')) throw new UsageError(`${rawName} needs a value after it.`);
  if (value.trim() === '') throw new UsageError(name === 'message' ? `${rawName} is empty: there is nothing to say to the agent.` : `${rawName} is empty.`);
}

function unknownFlag(flag: string, table: FlagTable): string {
  const [near] = nearest(flag, flagTexts(table), { within: flag.length > 4 ? 3 : 1 });
  return `There is no ${clip(flag)}.${near === undefined ? '' : ` Did you mean ${near}?`}`;
}

function flagTexts(table: FlagTable): readonly string[] {
  return Object.entries(table).flatMap(([name, { short }]) => (short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]));
}

/** @throws UsageError where the flag holds no whole number from `least` on */
export function wholeNumber(flags: Flags, name: string, least: number): number | undefined {
  const text = flags.text(name);
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`--${name} takes a whole number, ${least} or more, not "${clip(text)}".`);
}

/** What somebody typed, short enough for a message. */
export function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
