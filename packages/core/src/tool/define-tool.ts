import { AgentScopeError } from '../error/index.ts';
import { compileSchema, describeIssues } from '../internal/index.ts';
import type { CompiledSchema, InferInput, JsonObject, JsonSchema, Schema } from '../internal/index.ts';
import { checkedSlots, checkedStop } from './checked-context.ts';
import { executeTool, isAsyncIterable } from './execute.ts';
import { toOutput } from './output.ts';
import { joinPieces, piecesOf } from './pieces.ts';
import type { Piece } from './pieces.ts';
import { isBehavior, ownDecision } from './permission.ts';
import type { OwnCheck } from './permission.ts';
import type { EmptySchema, ExternalToolSpec, OutputOf, ToolSpec } from './spec.ts';
import { createToolContext } from './tool-context.ts';
import { isToolOutput } from './tool-result.ts';
import type { AnyTool, ParsedInput, Reconciled, Tool, ToolContext, ToolOutput } from './tool.ts';

/**
 * Makes a tool. The schema gives the types: `execute` gets what it lets through (defaults and transforms applied), `run` and the
 * tool call block hold what may be written.
 *
 * @throws AgentScopeError `config/invalid` for a bad name, a contradiction (`readOnly` with effect `'once'`), a missing `execute`, or a
 * schema without a JSON form.
 */
export function defineTool<N extends string, R = never, const S extends Schema = EmptySchema>(
  spec: ToolSpec<N, S, R> | ExternalToolSpec<N, S>,
): Tool<N, InferInput<S>, OutputOf<R>> {
  const loose = spec as LooseSpec; // the types have done their work; inside, arguments are unknown until parsed
  checkSpec(loose);
  return buildTool({ spec: loose, schema: compileInput(loose), owner: loose, timeoutMs: loose.timeoutMs ?? DEFAULT_TIMEOUT_MS }) as unknown as Tool<N, InferInput<S>, OutputOf<R>>;
}

/** The same tool with `this` set to the service it was found on, or with another time limit where its author gave none. Foreign tools stay as they are. */
export function adaptTool(tool: AnyTool, { owner, timeoutMs }: { owner?: object; timeoutMs?: number | undefined }): AnyTool {
  const parts = partsOf.get(tool);
  if (parts === undefined || (owner === undefined && timeoutMs === undefined)) return tool;
  return buildTool({ ...parts, owner: owner ?? parts.owner, timeoutMs: parts.spec.timeoutMs ?? timeoutMs ?? parts.timeoutMs });
}

const DEFAULT_TIMEOUT_MS = 120_000;
const EMPTY_SCHEMA: JsonSchema = { type: 'object', properties: {} };

type LooseSpec = Omit<ToolSpec<string, Schema, unknown>, 'execute' | 'external' | 'checkPermission' | 'reconcile'> & {
  readonly external?: boolean;
  readonly execute?: (input: unknown, context: ToolContext) => unknown;
  readonly checkPermission?: OwnCheck['check'];
  readonly reconcile?: NonNullable<AnyTool['reconcile']>;
};

interface ToolParts {
  readonly spec: LooseSpec;
  readonly schema: CompiledSchema;
  /** What methods of the spec see as `this`. */
  readonly owner: object;
  readonly timeoutMs: number;
}

/** How a tool was made, so that a toolkit can make it again with one thing changed. */
const partsOf = new WeakMap<AnyTool, ToolParts>();

function buildTool(parts: ToolParts): AnyTool {
  const { spec, schema, owner, timeoutMs } = parts;
  const { name, external = false, strict = false, checkPermission, reconcile } = spec;
  const readOnly = spec.readOnly ?? spec.effect === 'read';
  const check = typeof checkPermission === 'function' ? checkPermission.bind(owner) : checkPermission;
  const start = startOf(parts);
  const tool: AnyTool = {
    name,
    description: spec.description,
    inputSchema: schema.jsonSchema,
    effect: spec.effect ?? (readOnly ? 'read' : 'once'),
    readOnly,
    concurrencySafe: spec.concurrencySafe ?? readOnly,
    external,
    strict,
    timeoutMs,
    ...(spec.agent && { agent: spec.agent }),
    run: async (input: JsonObject, given?: Partial<ToolContext>) => runAlone(parts, await parseInput(name, schema, input), given),
    parseInput: (input) => parseInput(name, schema, input),
    checkPermission: (input, context) => ownDecision({ name, check }, input, context),
    execute: (input, context, sink) => executeTool({ name, timeoutMs, start: (inner) => start(input, inner) }, context, sink),
    ...(spec.matchRule && { matchRule: spec.matchRule.bind(owner) }),
    ...(reconcile && { reconcile: async (input, context) => checkedFinding(await reconcile.call(owner, input, context)) }),
  };
  partsOf.set(tool, parts);
  return tool;
}

function startOf({ spec: { name, execute }, owner }: ToolParts): (input: unknown, context: ToolContext) => unknown {
  if (execute === undefined) {
    return () => {
      throw invalid('external', `The tool "${name}" runs outside this process; its result has to be provided.`);
    };
  }
  return (input, context) => execute.call(owner, input, context);
}

/** What was found after a crash, if it may go on record. @throws TypeError, which is as good as knowing nothing */
function checkedFinding(found: Reconciled): Reconciled {
  if (found === undefined || typeof found === 'string') return found;
  if (isToolOutput(found)) toOutput(found);
  else if (found.status === 'done') toOutput(found.output);
  else if (found.status !== 'notStarted' && found.status !== 'unknown') throw new TypeError('It was neither done, nor not started, nor unknown.');
  return found;
}

async function parseInput(name: string, schema: CompiledSchema, input: JsonObject | null | undefined): Promise<ParsedInput> {
  const result = await schema.validate(input ?? {});
  if (result.ok) return { ok: true, input: result.value };
  return { ok: false, message: `The arguments of "${name}" do not fit its schema. ${describeIssues(result.issues)}` };
}

/** `tool.run`: what `execute` returned, as it is; of a generator all that it said. */
async function runAlone(parts: ToolParts, parsed: ParsedInput, given: Partial<ToolContext> | undefined): Promise<unknown> {
  if (!parsed.ok) throw invalid('input', parsed.message);
  const pieces: Piece[] = [];
  const context = createToolContext(given);
  const collect: ToolContext['emit'] = (chunk) => {
    pieces.push(...piecesOf(chunk));
    context.emit(chunk);
  };
  const returned = await startOf(parts)(parsed.input, { ...context, emit: collect, state: checkedSlots(context.state), requestStop: checkedStop(context) });
  if (!isAsyncIterable(returned)) return returned;
  const output = await executeTool({ name: parts.spec.name, timeoutMs: parts.timeoutMs, start: () => returned }, context, (piece) => pieces.push(piece));
  return { ...output, content: joinPieces([...pieces, ...output.content]) } satisfies ToolOutput;
}

function compileInput({ name, input = EMPTY_SCHEMA }: LooseSpec): CompiledSchema {
  const schema = compileSchema(input);
  const { type = 'object' } = schema.jsonSchema;
  if (!(Array.isArray(type) ? type : [type]).includes('object')) {
    throw invalid('input', `The input schema of "${name}" has the type ${JSON.stringify(type)}; arguments are always an object. Put the value into a field.`);
  }
  return schema.jsonSchema.type === undefined ? { ...schema, jsonSchema: { type, ...schema.jsonSchema } } : schema;
}

function checkSpec({ name, description, effect, readOnly, external, execute, timeoutMs, checkPermission }: LooseSpec): void {
  const text = typeof name === 'string' ? name : String(name);
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw invalid('name', `"${text.slice(0, 80)}" is no tool name: use 1 to 64 letters, digits, "_" or "-".`);
  }
  if (typeof description !== 'string') throw invalid('description', `The tool "${name}" needs a description: the model chooses by it.`);
  if (external === true && execute !== undefined) throw invalid('execute', `The tool "${name}" is external, so it cannot have "execute". Drop one of the two.`);
  if (external !== true && typeof execute !== 'function') throw invalid('execute', `The tool "${name}" has no "execute" function. Add one, or say "external: true".`);
  if (effect !== undefined && !['read', 'keyed', 'once'].includes(effect)) throw invalid('effect', `The tool "${name}" has the unknown effect "${String(effect)}": use "read", "keyed" or "once".`);
  if (readOnly !== undefined && effect !== undefined && readOnly !== (effect === 'read')) {
    throw invalid('effect', `The tool "${name}" says readOnly ${readOnly} and effect "${effect}", which contradict each other. Give one of the two.`);
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0)) throw invalid('timeoutMs', `The tool "${name}" has timeoutMs ${timeoutMs}: use a number above 0, or Infinity.`);
  if (checkPermission !== undefined && typeof checkPermission !== 'function' && !isBehavior(checkPermission)) {
    throw invalid('checkPermission', `The tool "${name}" has an unknown checkPermission: use "allow", "deny", "ask", "passthrough" or a function.`);
  }
}

function invalid(option: string, message: string): AgentScopeError<'config/invalid'> {
  return new AgentScopeError('config/invalid', message, { details: { option } });
}
