import { clip, UsageError } from '../flags.ts';
import { isMode, MODES } from '../modes.ts';
import { nearest } from '../nearest.ts';
import type { AgentSettings, CliConfig } from './define.ts';

/** A configuration as it was read. */
export interface Source {
  /** As a person names it. */
  readonly file: string;
  /** To find the line of what is wrong. */
  readonly text: string;
}

type Check = readonly [isFine: (value: unknown) => boolean, what: string];

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const AGENT: Readonly<Record<keyof AgentSettings, Check>> = {
  model: [isText, 'a text, <provider>:<name>'],
  sysPrompt: [(value) => typeof value === 'string', 'a text'],
  tools: [(value) => Array.isArray(value) && value.every(isTool), 'a list of tools made with defineTool'],
  mode: [(value) => typeof value === 'string' && isMode(value), `one of ${MODES.join(', ')}`],
  allow: [(value) => Array.isArray(value) && value.every(isText), 'a list of texts, "<tool>" or "<tool>(<what>)"'],
  maxIters: [(value) => Number.isInteger(value) && Number(value) >= 1, 'a whole number of at least 1'],
};
const WHOLE: Readonly<Record<keyof CliConfig, Check>> = {
  ...AGENT,
  agents: [isRecord, 'an object of agents by name'],
  agent: [isText, 'the name of one of the agents'],
  prices: [(value) => isRecord(value) && Object.entries(value).every(([id, price]) => id.includes(':') && isPrice(price)), 'an object of prices by model: { "<provider>:<name>": { "input": 1.25, "output": 10 } } for a million tokens'],
  store: [isText, 'a folder'],
};

/** @throws UsageError naming file, line and key */
export function checkConfig(value: unknown, source: Source): CliConfig {
  if (!isRecord(value)) throw broken(source, [], 'the configuration must be an object');
  checkFields(value, WHOLE, { source, path: [] });
  for (const [name, agent] of Object.entries(isRecord(value['agents']) ? value['agents'] : {})) {
    if (!isRecord(agent)) throw broken(source, ['agents', name], 'must be an object');
    checkFields(agent, AGENT, { source, path: ['agents', name] });
  }
  return value;
}

interface Place {
  readonly source: Source;
  readonly path: readonly string[];
}

function checkFields(value: Readonly<Record<string, unknown>>, checks: Readonly<Record<string, Check>>, { source, path }: Place): void {
  for (const [key, each] of Object.entries(value)) {
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    if (check === undefined) throw broken(source, [...path, key], unknownKey(key, Object.keys(checks)));
    if (each !== undefined && !check[0](each)) throw broken(source, [...path, key], `must be ${check[1]}`);
  }
}

function unknownKey(key: string, known: readonly string[]): string {
  const [near] = nearest(key, known);
  return `is no key of it. ${near === undefined ? `There are: ${known.join(', ')}` : `Did you mean ${near}`}`;
}

/** `agentscope.config.json:3: agents.writer.mode must be …` */
export function broken({ file, text }: Source, path: readonly string[], what: string): UsageError {
  const line = lineOf(text, path);
  return new UsageError(`${file}${line === undefined ? '' : `:${line}`}: ${path.length === 0 ? '' : `${clip(path.join('.'))} `}${what}${what.includes('Did you mean') ? '?' : '.'}`);
}

/** Where the key stands, found by its name behind those around it. */
function lineOf(text: string, path: readonly string[]): number | undefined {
  let at = 0;
  for (const key of path) {
    const name = key.replace(/[^\w]/g, String.raw`\$&`);
    const found = new RegExp(String.raw`(?<![\w$])["']?${name}["']?\s*[:,}(]`).exec(text.slice(at));
    if (found === null) return undefined;
    at += found.index;
  }
  return path.length === 0 ? undefined : text.slice(0, at).split('\n').length;
}

function isPrice(value: unknown): boolean {
  const isAmount = (amount: unknown): boolean => typeof amount === 'number' && amount >= 0;
  if (!isRecord(value) || !isAmount(value['input']) || !isAmount(value['output'])) return false;
  return Object.entries(value).every(([name, amount]) => ['input', 'output', 'cached', 'cacheCreation'].includes(name) && isAmount(amount));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTool(value: unknown): boolean {
  return isRecord(value) && typeof value['name'] === 'string' && 'inputSchema' in value;
}
