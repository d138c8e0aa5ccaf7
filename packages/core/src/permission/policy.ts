import type { Clock, JsonObject } from '../internal/index.ts';
import type { PermissionBehavior, PermissionRule } from '../message/index.ts';

/**
 * What happens to a call that no rule and no tool decided.
 *
 * - `default`: reading runs, everything else asks.
 * - `accept_edits`: edits of files in the working directories run too.
 * - `explore`: only reading; everything else is denied, also what a rule allows.
 * - `bypass`: everything runs that no deny or ask rule, no tool and no dangerous path holds up.
 * - `dont_ask`: as `default`, and what would ask is denied.
 */
export type PermissionMode = 'default' | 'accept_edits' | 'explore' | 'bypass' | 'dont_ask';

export const PERMISSION_MODES: readonly PermissionMode[] = ['default', 'accept_edits', 'explore', 'bypass', 'dont_ask'];

/** What a tool, a rule or the engine thinks of a call. */
export interface PermissionDecision {
  readonly behavior: PermissionBehavior;
  readonly message?: string;
  readonly suggestedRules?: readonly PermissionRule[];
}

/** A decision, and who made it. */
export interface PermissionVerdict extends PermissionDecision {
  readonly behavior: 'allow' | 'ask' | 'deny';
  /** For the record: `rule <id>`, `tool`, `mode <mode>`, `read-only`, `dangerous path`, `user`, `no policy`. */
  readonly by: string;
}

/**
 * Rules as short patterns, `'tool'` or `'tool(content)'` with `*` for any text, or as whole rules. Deny beats ask beats allow, in
 * whatever order they stand.
 */
export interface PermissionOptions {
  /** Default `'default'`. */
  readonly mode?: PermissionMode | undefined;
  readonly allow?: readonly (string | PermissionRule)[] | undefined;
  readonly ask?: readonly (string | PermissionRule)[] | undefined;
  readonly deny?: readonly (string | PermissionRule)[] | undefined;
  /** Where `accept_edits` lets files be edited, beside relative paths that stay below the current folder. Default none. */
  readonly workingDirectories?: readonly string[] | undefined;
  /** Instead of the built-in list; `[]` turns it off. A name is any segment of a path, `/x` and `~/x` a place and what is below it. */
  readonly dangerousPaths?: readonly string[] | undefined;
}

export interface EngineOptions {
  /** For rules that run out. Default `Date.now`. */
  readonly clock?: Clock | undefined;
  /** What becomes of a call that nothing decided. `'allow'`: nobody set a policy, so nothing is dangerous either. Default `'ask'`. */
  readonly otherwise?: 'ask' | 'allow' | undefined;
}

/** A call as the engine judges it: plain facts. */
export interface PermissionFacts {
  readonly tool: string;
  /** The arguments as the model wrote them. */
  readonly input: JsonObject;
  readonly readOnly: boolean;
  /** The tool's own opinion. Default: none. */
  readonly own?: PermissionDecision | undefined;
  /** A person said yes to exactly these arguments. Default false. */
  readonly approved?: boolean | undefined;
  /** The tool's own way to tell whether a rule's content is about these arguments. Default: see the guide on permissions. */
  readonly matches?: ((content: string) => boolean) | undefined;
}
