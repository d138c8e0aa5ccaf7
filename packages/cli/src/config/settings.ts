import { relative, resolve } from 'node:path';
import type { AnyTool, ModelPrice, PermissionMode } from '@agentscope/core';
import type { CliOptions } from '../args.ts';
import { BUILT_IN, chooseModel } from '../choose-model.ts';
import { clip, UsageError } from '../flags.ts';
import { isMode, MODES } from '../modes.ts';
import { nearest } from '../nearest.ts';
import { loadConfig } from './load.ts';
import type { Loaded } from './load.ts';

/** By `<provider>:<name>`. */
export type Prices = Readonly<Record<string, ModelPrice>>;

/** The command line with everything that holds filled in. */
export interface TalkOptions extends CliOptions {
  readonly agent: string;
  readonly model: string;
  readonly store: string;
  readonly sysPrompt: string | undefined;
  readonly prices: Prices;
  /** Instead of the terminal's own. */
  readonly ownTools: readonly AnyTool[] | undefined;
}

export async function talkOptions(options: CliOptions): Promise<TalkOptions> {
  const { agent, model, store, mode, allow, maxIters, prices, sysPrompt, tools } = await readAllSettings(options, { cwd: process.cwd(), env: process.env });
  return { ...options, agent: agent.value, model: model.value, store: store.value, mode: mode.value, allow: allow.value, maxIters: maxIters.value, sysPrompt: sysPrompt.value, prices: prices.value, ownTools: tools.value };
}

/** What the flags say of it; absent: they say nothing. */
export interface FlagSettings {
  readonly config?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly store?: string | undefined;
  readonly mode?: PermissionMode | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly maxIters?: number | undefined;
}

/** A value, and who said so. */
export interface Setting<T> {
  readonly value: T;
  readonly from: string;
}

/** What holds: flags are stronger than the environment, that than the configuration, that than what is built in. */
export interface Settings {
  readonly file: string | undefined;
  readonly agent: Setting<string>;
  readonly model: Setting<string>;
  readonly store: Setting<string>;
  readonly mode: Setting<PermissionMode>;
  readonly allow: Setting<readonly string[]>;
  readonly maxIters: Setting<number>;
  readonly prices: Setting<Prices>;
  readonly sysPrompt: Setting<string | undefined>;
  /** Undefined: the terminal's own. */
  readonly tools: Setting<readonly AnyTool[] | undefined>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export const DEFAULT_AGENT = 'Friday';
export const DEFAULT_STORE = '.agentscope/sessions';

/** With the model that is used where nobody names one; that loads the library, and asks a server of this machine. @throws UsageError */
export async function readAllSettings(flags: FlagSettings, place: Place): Promise<Settings> {
  const settings = await readSettings(flags, place);
  if (settings.model.from !== BUILT_IN) return settings;
  const { findModel } = await import('../find-model.ts');
  return { ...settings, model: await findModel(place.env) };
}

interface Place {
  readonly cwd: string;
  readonly env: Environment;
}

/** @throws UsageError for a broken configuration, an agent it does not have, and a variable that holds nonsense */
export async function readSettings(flags: FlagSettings, { cwd, env }: Place): Promise<Settings> {
  const loaded = await loadConfig(cwd, flags.config ?? text(env, 'AGENTSCOPE_CONFIG')?.value);
  const config = loaded?.config ?? {};
  const builtIn = <T>(value: T): Setting<T> => ({ value, from: BUILT_IN });
  const said = <T>(value: T | undefined, from: string): Setting<T> | undefined => (value === undefined ? undefined : { value, from });
  const file = loaded?.file ?? '';
  const agent = said(flags.agent, '--agent') ?? text(env, 'AGENTSCOPE_AGENT') ?? said(config.agent, file) ?? builtIn(DEFAULT_AGENT);
  const own = ownSettings(agent, loaded);
  const here = <K extends keyof typeof own & keyof typeof config>(key: K): Setting<NonNullable<(typeof own)[K]>> | undefined => {
    const value = own[key] ?? config[key];
    return value === undefined || value === null ? undefined : { value: value as NonNullable<(typeof own)[K]>, from: own[key] === undefined ? file : `${file}, agents.${agent.value}` };
  };
  return {
    file: loaded?.file,
    agent,
    model: chooseModel({ flag: flags.model, config: here('model'), env }),
    store: said(flags.store, '--store') ?? text(env, 'AGENTSCOPE_STORE') ?? said(storeIn(loaded, cwd), file) ?? builtIn(DEFAULT_STORE),
    mode: said(flags.mode, '--mode') ?? modeIn(env) ?? here('mode') ?? builtIn('default'),
    allow: flags.allow !== undefined && flags.allow.length > 0 ? { value: [...flags.allow, ...(here('allow')?.value ?? [])], from: here('allow') === undefined ? '--allow' : `--allow, ${here('allow')?.from}` } : (here('allow') ?? builtIn([])),
    maxIters: said(flags.maxIters, '--max-iters') ?? numberIn(env) ?? here('maxIters') ?? builtIn(10),
    prices: said(config.prices, file) ?? builtIn({}),
    sysPrompt: here('sysPrompt') ?? builtIn(undefined),
    tools: here('tools') ?? builtIn(undefined),
  };
}

/** The settings of the chosen agent. The terminal's own has none beside those for all. */
function ownSettings({ value: name, from }: Setting<string>, loaded: Loaded | undefined): NonNullable<NonNullable<Loaded['config']['agents']>[string]> {
  const agents = loaded?.config.agents ?? {};
  const found = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (found !== undefined || name === DEFAULT_AGENT) return found ?? {};
  const names = [...Object.keys(agents), DEFAULT_AGENT];
  const [near] = nearest(name, names);
  throw new UsageError(`There is no agent ${clip(name)} (${from}). ${near === undefined ? `There are: ${names.join(', ')}.` : `Did you mean ${near}?`}`);
}

/** A folder of the configuration starts where that is. */
function storeIn(loaded: Loaded | undefined, cwd: string): string | undefined {
  return loaded?.config.store === undefined ? undefined : relative(cwd, resolve(loaded.folder, loaded.config.store)) || '.';
}

/** Empty and blank variables count as not set. */
function text(env: Environment, variable: string): Setting<string> | undefined {
  const value = env[variable]?.trim();
  return value ? { value, from: variable } : undefined;
}

function modeIn(env: Environment): Setting<PermissionMode> | undefined {
  const said = text(env, 'AGENTSCOPE_MODE');
  if (said === undefined) return undefined;
  if (isMode(said.value)) return { value: said.value, from: said.from };
  throw new UsageError(`AGENTSCOPE_MODE holds ${clip(said.value)}. Modes are ${MODES.join(', ')}.`);
}

function numberIn(env: Environment): Setting<number> | undefined {
  const said = text(env, 'AGENTSCOPE_MAX_ITERS');
  if (said === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(said.value)) return { value: Number(said.value), from: said.from };
  throw new UsageError(`AGENTSCOPE_MAX_ITERS takes a whole number, 1 or more, not "${clip(said.value)}".`);
}
