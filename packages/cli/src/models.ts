import type { ModelCard, ModelProvider, ModelRegistry } from '@agentscope/core';
import type { Surroundings } from './conversation.ts';
import { EXIT } from './exit-codes.ts';
import { findModelId, isLocal, isSet, LOCAL_MS } from './find-model.ts';
import type { Env } from './find-model.ts';
import { readFlags, UsageError } from './flags.ts';
import { printJob } from './job.ts';
import type { Job } from './job.ts';
import { printable } from './printable.ts';

type Registry = typeof ModelRegistry;

const MODELS_HELP = `agentscope models: which models there are.

  agentscope models [<provider>]

  --live     ask each provider whose key is set what it has, instead of a short list of known ones
  --json     one list as JSON
  -h, --help

A provider without a key is listed with the variable to set. A key is never shown. What runs on this machine (Ollama) is
always asked. Exit codes: 0 done · 1 the one provider that was named could not be asked · 2 the command line was wrong
`;

interface Request {
  readonly provider: string | undefined;
  readonly live: boolean;
  readonly json: boolean;
}

/** `agentscope models`. @throws UsageError */
export function modelsJob(argv: readonly string[]): Job {
  const flags = readFlags(argv, { live: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } });
  if (flags.has('help')) return printJob(MODELS_HELP);
  const [provider, more] = flags.positionals;
  if (more !== undefined) throw new UsageError('models takes one provider at most.');
  return { run: (surroundings) => models({ provider, live: flags.has('live'), json: flags.has('json') }, surroundings) };
}

/** What is said of one provider; its JSON form too. */
interface Row {
  readonly provider: string;
  readonly key: 'set' | 'missing' | 'not needed';
  /** The variable that holds the key, or the first one that may. */
  readonly variable: string | null;
  readonly models: readonly (Omit<ModelCard, 'provider'> & { readonly id: string })[];
  /** Why its models could not be had. */
  readonly problem: string | null;
}

async function models({ provider, live, json }: Request, { output }: Surroundings): Promise<number> {
  const { ModelRegistry: registry } = await import('@agentscope/core');
  const all = registry.providers();
  const chosen = provider === undefined ? all : all.filter(({ id }) => id === provider);
  if (chosen.length === 0) throw new UsageError(`There is no provider ${JSON.stringify(provider)}. There are: ${all.map(({ id }) => id).join(', ')}.`);
  const rows = await Promise.all(chosen.map((one) => rowOf(registry, one, { live, env: process.env })));
  if (json) output.write(`${JSON.stringify(rows, null, 2)}\n`);
  else output.write(`${rows.map(paragraph).join('\n')}\nWithout --model: ${printable(await findModelId(undefined, process.env))}\n`);
  return provider !== undefined && rows.some(({ problem }) => problem !== null) ? EXIT.failed : EXIT.done;
}

async function rowOf(registry: Registry, provider: ModelProvider, { live, env }: { live: boolean; env: Env }): Promise<Row> {
  const { id, keyVariables } = provider;
  const set = keyVariables.find((name) => isSet(env[name]));
  const row = { provider: id, key: keyVariables.length === 0 ? 'not needed' : set === undefined ? 'missing' : 'set', variable: set ?? keyVariables[0] ?? null } as const;
  try {
    const cards = await registry.listModels(id, { live: isLocal(provider) || (live && set !== undefined), timeoutMs: isLocal(provider) ? LOCAL_MS : undefined });
    const found = cards.map(({ provider: _provider, ...card }) => ({ id: `${id}:${card.modelName}`, ...card }));
    return { ...row, models: id.includes(':') ? [{ id, modelName: id }] : found, problem: null };
  } catch (error) {
    return { ...row, models: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

function paragraph({ provider, key, variable, models: found, problem }: Row): string {
  const keyText = key === 'not needed' ? 'no key needed' : key === 'set' ? `key in ${variable ?? ''}` : `no key: set ${variable ?? ''}`;
  const lines = found.map(({ id, contextWindow, input }) => [printable(id), contextWindow === undefined ? '' : `${contextWindow.toLocaleString('en')} tokens`, (input ?? []).join(', ')] as const);
  const widths = [0, 1].map((column) => Math.max(0, ...lines.map((cells) => cells[column]?.length ?? 0)));
  const table = lines.map((cells) => `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()}\n`);
  return `${provider} (${keyText})\n${problem === null ? table.join('') || '  none\n' : `  ${printable(problem)}\n`}`;
}
