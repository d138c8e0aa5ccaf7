import type { Awaitable, Infer, JsonObject, Schema } from '../internal/index.ts';
import type { PermissionBehavior } from '../message/index.ts';
import type { PermissionDecision } from '../permission/index.ts';
import type { AnyTool, Effect, Reconciled, Tool, ToolContext, ToolOutput } from './tool.ts';

interface ToolSpecBase<N extends string, S extends Schema> {
  /** 1 to 64 letters, digits, `_` or `-`: what every provider takes. */
  readonly name: N;
  readonly description: string;
  /** What may be written for the arguments: any Standard Schema with a JSON form, or a JSON Schema. Left out: the tool takes no arguments. */
  readonly input?: S;
  /** What running it twice would mean. Default `'once'`, or `'read'` when `readOnly`. */
  readonly effect?: Effect;
  /** No side effect: may run again after a crash, and beside other calls. Default false, or true with effect `'read'`. */
  readonly readOnly?: boolean;
  /** May run beside other calls of the same turn. Default: true when read only. */
  readonly concurrencySafe?: boolean;
  /** Time for one run in milliseconds, above 0; `Infinity` turns it off. Default 120 000. Past it: an `error` result. */
  readonly timeoutMs?: number;
  /** Asks the provider to keep the model to the schema, where it can. Default false. */
  readonly strict?: boolean;
  /** The agent it asks, where it asks one; `agentAsTool` sets it. */
  readonly agent?: object;
  /** The tool's own opinion; no mode overrides its `deny` or `ask`. A constant, or a function of the arguments. A check that throws denies. Default `'passthrough'`. */
  readonly checkPermission?: PermissionBehavior | ((input: Infer<S>, ctx: ToolContext) => Awaitable<PermissionBehavior | PermissionDecision>);
  /**
   * Whether `content` of a rule `tool(content)` is about these arguments, which are as the model wrote them and not parsed. Default: `*`
   * stands for any text, and what is compared is the command, the paths, or the one argument. One that throws allows nothing.
   */
  readonly matchRule?: (content: string, input: JsonObject) => boolean;
}
export interface ToolSpec<N extends string, S extends Schema, R> extends ToolSpecBase<N, S> {
  readonly external?: false;
  /** Text, anything JSON-safe, `toolResult(…)`, or an async generator of chunks. A throw becomes an `error` result. */
  readonly execute: (input: Infer<S>, ctx: ToolContext) => R;
  /**
   * Asked after a crash for a `once` tool that had started: what became of it? `{ status: 'done', output }`, `{ status: 'notStarted' }`
   * (it runs now) or `{ status: 'unknown' }`. A text or `toolResult(…)` alone means done, nothing unknown; so does a throw.
   */
  readonly reconcile?: (input: Infer<S>, ctx: ToolContext) => Awaitable<Reconciled>;
}
/** A tool that runs elsewhere: the reply pauses, and its result comes from outside. */
export interface ExternalToolSpec<N extends string, S extends Schema> extends ToolSpecBase<N, S> {
  readonly external: true;
  readonly execute?: never;
}

/** The schema of a tool without arguments. */
export type EmptySchema = { readonly type: 'object'; readonly properties: {} };
/** What `run` gives back: streamed output as a whole, anything else as `execute` returned it. */
export type OutputOf<R> = Awaited<R> extends AsyncIterable<unknown> ? ToolOutput : Awaited<R>;

/** The arguments a model may write for the tool. */
export type ToolInput<T extends AnyTool> = T extends Tool<string, infer I> ? I : never;
