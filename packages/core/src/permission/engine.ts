import { AgentScopeError } from '../error/index.ts';
import type { Clock, JsonObject } from '../internal/index.ts';
import type { PermissionRule } from '../message/index.ts';
import { normalPath, textsOf } from './arguments.ts';
import { DANGEROUS_PATHS, dangerousPath } from './dangerous-path.ts';
import { exactRule, ruleMatches } from './match.ts';
import { PERMISSION_MODES } from './policy.ts';
import type { EngineOptions, PermissionDecision, PermissionFacts, PermissionMode, PermissionOptions, PermissionVerdict } from './policy.ts';
import { hasExpired, ruleText, toRule } from './rule.ts';
import type { KeptRule, RuleBehavior } from './rule.ts';

/** Judges calls by rules and a mode. It knows no tools and no session: plain facts in, a decision with its reason out. */
export class PermissionEngine {
  readonly mode: PermissionMode;
  readonly #rules = new Map<string, KeptRule>();
  readonly #directories: readonly string[];
  readonly #dangerous: readonly string[];
  readonly #clock: Clock;
  readonly #otherwise: 'ask' | 'allow';

  /** @throws AgentScopeError `config/invalid` for an unknown mode or a rule that is none, naming the option */
  constructor(options: PermissionOptions = {}, { clock = Date.now, otherwise = 'ask' }: EngineOptions = {}) {
    this.mode = checkedMode(options.mode ?? 'default');
    this.#directories = options.workingDirectories ?? [];
    this.#dangerous = options.dangerousPaths ?? DANGEROUS_PATHS;
    this.#clock = clock;
    this.#otherwise = otherwise;
    for (const behavior of ['deny', 'ask', 'allow'] as const) {
      const option = `permission.${behavior}`;
      for (const given of listOf(options[behavior], option)) this.#keep(toRule(given, { behavior, option }));
    }
  }

  /** Deny rules, the tool's no, ask rules, dangerous paths, the tool's ask or yes, allow rules, the mode. */
  checkPermission(facts: PermissionFacts): PermissionVerdict {
    const verdict = this.#judge(facts);
    if (verdict.behavior !== 'ask') return verdict;
    if (facts.approved === true) return { behavior: 'allow', by: 'user' };
    if (this.mode === 'dont_ask') return { behavior: 'deny', by: 'mode dont_ask', message: verdict.message ?? `${facts.tool} would need a person's permission, and nobody is asked (mode "dont_ask").` };
    return { ...verdict, suggestedRules: verdict.suggestedRules ?? [exactRule(facts.tool, facts.input)] };
  }

  /** Adds a rule, or replaces the one of the same id. @throws AgentScopeError `config/invalid` for a rule that is none */
  addRule(rule: PermissionRule): void {
    this.#keep(toRule(rule, { option: 'rule' }));
  }

  /** The rules that hold now, each with its id. */
  list(): readonly (PermissionRule & { readonly id: string })[] {
    return [...this.#rules.values()].filter((rule) => !hasExpired(rule, this.#clock));
  }

  /** Takes a rule away; false when none has this id. */
  revoke(id: string): boolean {
    return this.#rules.delete(id);
  }

  #keep(rule: KeptRule): void {
    this.#rules.set(rule.id, rule);
  }

  #judge(facts: PermissionFacts): PermissionVerdict {
    const { tool, readOnly, own } = facts;
    const denied = this.#rule('deny', facts);
    if (denied) return { behavior: 'deny', by: `rule ${denied.id}`, message: `The rule "${ruleText(denied)}" forbids it.` };
    if (own?.behavior === 'deny') return { behavior: 'deny', by: 'tool', ...messageOf(own) };
    if (this.mode === 'explore' && !readOnly) return { behavior: 'deny', by: 'mode explore', message: `${tool} changes something, and the mode "explore" lets only reading run.` };
    const asked = this.#rule('ask', facts);
    if (asked) return { behavior: 'ask', by: `rule ${asked.id}`, ...messageOf(own) };
    const place = readOnly || this.#otherwise === 'allow' ? undefined : dangerousPath(facts.input, this.#dangerous);
    if (place !== undefined) return { behavior: 'ask', by: 'dangerous path', message: own?.message ?? `${tool} reaches a place that is kept safe: ${place}` };
    return this.#byTool(facts) ?? this.#byMode(facts);
  }

  /** An allow rule answers a tool that asks; a mode does not. */
  #byTool(facts: PermissionFacts): PermissionVerdict | undefined {
    const { own } = facts;
    if (own?.behavior === 'allow') return { behavior: 'allow', by: 'tool' };
    const allowed = this.#rule('allow', facts);
    if (allowed) return { behavior: 'allow', by: `rule ${allowed.id}` };
    if (own?.behavior !== 'ask') return undefined;
    return { behavior: 'ask', by: 'tool', ...messageOf(own), ...(own.suggestedRules ? { suggestedRules: own.suggestedRules } : {}) };
  }

  #byMode({ tool, input, readOnly }: PermissionFacts): PermissionVerdict {
    if (this.#otherwise === 'allow') return { behavior: 'allow', by: 'no policy' };
    if (this.mode === 'accept_edits' && isEdit(tool) && this.#isInside(input)) return { behavior: 'allow', by: 'mode accept_edits' };
    if (readOnly) return { behavior: 'allow', by: 'read-only' };
    if (this.mode === 'bypass') return { behavior: 'allow', by: 'mode bypass' };
    return { behavior: 'ask', by: `mode ${this.mode}` };
  }

  #rule(behavior: RuleBehavior, facts: PermissionFacts): KeptRule | undefined {
    for (const rule of this.#rules.values()) if (rule.behavior === behavior && !hasExpired(rule, this.#clock) && ruleMatches(rule, facts)) return rule;
    return undefined;
  }

  /** Every path of the call lies below a working directory; at least one is named. */
  #isInside(input: JsonObject): boolean {
    const paths = textsOf(input).filter(({ kind }) => kind === 'path').map(({ text }) => normalPath(text));
    const roots = this.#directories.map(normalPath);
    const isBelow = (path: string): boolean => (/^([/~]|[a-z]:|\.\.)/i.test(path) ? roots.some((root) => path === root || path.startsWith(root === '/' ? root : `${root}/`)) : true);
    return paths.length > 0 && paths.every(isBelow);
  }
}

/** Tools that edit files say so by their name: `write_file`, `Edit`, `insert_text_file`. */
function isEdit(tool: string): boolean {
  return /^(write|edit|multi_?edit|str_replace|apply_patch)$|^(write|edit|insert|append|create|replace|patch|update)_?(\w+_)?(text_?)?files?$/i.test(tool);
}

function messageOf(own: PermissionDecision | undefined): { message?: string } {
  return own?.message === undefined ? {} : { message: own.message };
}

/** @throws AgentScopeError `config/invalid` */
export function checkedMode(mode: unknown, option = 'permission.mode'): PermissionMode {
  if (PERMISSION_MODES.includes(mode as PermissionMode)) return mode as PermissionMode;
  throw new AgentScopeError('config/invalid', `${option} must be one of ${PERMISSION_MODES.join(', ')}, not ${JSON.stringify(mode)}.`, { details: { option } });
}

function listOf(rules: unknown, option: string): readonly (string | PermissionRule)[] {
  if (rules === undefined) return [];
  if (Array.isArray(rules)) return rules as readonly (string | PermissionRule)[];
  throw new AgentScopeError('config/invalid', `${option} is a list of rules.`, { details: { option } });
}
