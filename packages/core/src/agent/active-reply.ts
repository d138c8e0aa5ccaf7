import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { JsonValue } from '../internal/index.ts';
import type { GenerateReason, Msg } from '../message/index.ts';
import type { ChatModel, GenerateOptions } from '../model/index.ts';
import { queueOf, SUMMARY } from '../session/index.ts';
import type { KeptRule, PermissionEngine } from '../permission/index.ts';
import type { FullSessionKey, Journal, Position } from '../session/index.ts';
import type { RuntimeContext } from '../state/index.ts';
import type { AgentConfig } from './config.ts';
import type { StepFacts } from './next-step.ts';
import { permissionName, policyOf, userRulesOf } from './policy.ts';
import type { Budget } from './budget.ts';
import type { Reply } from './reply.ts';
import { Stages } from './stages.ts';
import { summaryMessage } from './summary-message.ts';
import type { StructuredOutput } from './structured-output.ts';
import type { Unjournaled } from './unjournaled.ts';

export interface ActiveReplyOptions {
  readonly config: AgentConfig;
  readonly model: ChatModel;
  readonly journal: Journal;
  readonly replyId: string;
  /** Aborted to stop the reply; aborts itself when the store is lost. */
  readonly controller: AbortController;
  readonly context: RuntimeContext;
  readonly generateOptions: GenerateOptions | undefined;
  readonly budget?: Budget | undefined;
  readonly structured?: StructuredOutput | undefined;
}

const NO_EVENTS: readonly AgentEvent[] = [];

/** The journal's newest reply as its steps see it. */
export class ActiveReply implements Reply {
  readonly config: AgentConfig;
  readonly model: ChatModel;
  readonly key: FullSessionKey;
  readonly replyId: string;
  readonly epoch: number;
  readonly signal: AbortSignal;
  readonly generateOptions: GenerateOptions | undefined;
  readonly context: RuntimeContext;
  readonly mark: object;
  /** What the reply may still use; undefined: no limit. */
  readonly budget: Budget | undefined;
  readonly structured: StructuredOutput | undefined;
  readonly #journal: Journal;
  readonly #controller: AbortController;
  /** What is wrapped around it; undefined: nothing. */
  readonly stages: Stages | undefined;
  /** By the call whose result they come with; `''`: with the next event. */
  readonly #staged = new Map<string, Map<string, JsonValue>>();
  readonly #stops = new Set<string>();
  #unjournaled: Unjournaled | undefined;
  /** Read when first needed in a run. */
  #userRules: Promise<readonly KeptRule[]> | undefined;
  #hasNewRules = false;
  #triedRules = false;
  readonly waiting: Map<string, GenerateReason> = new Map();
  /** What a model threw in this run. */
  failure: { readonly error: unknown } | undefined;

  constructor({ config, model, journal, replyId, controller, context, generateOptions, budget, structured }: ActiveReplyOptions) {
    this.budget = budget;
    this.structured = structured;
    this.config = config;
    this.model = model;
    this.key = journal.key;
    this.replyId = replyId;
    this.epoch = journal.epoch;
    this.signal = controller.signal;
    this.#controller = controller;
    this.context = context;
    this.mark = queueOf(config.session, journal.key);
    this.generateOptions = mergeOptions(config.generateOptions, generateOptions);
    this.#journal = journal;
    const wraps = config.wraps();
    this.stages = wraps && new Stages(wraps, this);
  }

  /** From here on the reply is what its readers see; the journal keeps what it has. */
  detach(unjournaled: Unjournaled): void {
    this.#unjournaled = unjournaled;
  }

  message(): Msg {
    if (this.#unjournaled) return this.#unjournaled.message();
    const message = this.#journal.reply(this.replyId);
    if (!message) throw new Error(`The reply ${this.replyId} is not in its journal.`);
    return message;
  }

  facts(): StepFacts {
    if (this.#unjournaled) return this.#unjournaled.facts();
    const open = this.#journal.openReply();
    if (open?.message.id !== this.replyId) throw new Error(`The reply ${this.replyId} is not open.`);
    const steers = this.steers().length;
    return steers === 0 ? open.facts : { ...open.facts, steers };
  }

  steers(): readonly Msg[] {
    return this.#journal.steers();
  }

  /** Inputs that came while the reply runs stand after it, and are for the next one. While it has said nothing, it is left out. */
  async messages(head: readonly Msg[] = []): Promise<() => readonly Msg[]> {
    const memory = this.config.memories?.of(this.key);
    if (memory) {
      const shown = await memory.shown(this.message());
      return () => [...head, ...shown];
    }
    const summary = this.state(SUMMARY);
    return this.#journal.shown(typeof summary === 'string' && summary !== '' ? [...head, summaryMessage(summary)] : head);
  }

  state(name: string): JsonValue | undefined {
    const staged = this.#staged.get('')?.get(name);
    return staged === undefined ? this.#journal.state(name) : staged;
  }

  toldTo(taskId: string): Position | undefined {
    return this.#journal.fold.toldTo(taskId);
  }

  async policy(): Promise<PermissionEngine> {
    const { config, key } = this;
    this.#userRules ??= userRulesOf(config, key).catch((error: unknown) => {
      this.#userRules = undefined;
      throw error;
    });
    return policyOf(config, this.state(permissionName(config)), await this.#userRules);
  }

  /** Rules came with an answer: they may settle other questions. */
  rulesCame(): void {
    this.#userRules = undefined;
    this.#hasNewRules = true;
  }

  /** True once, where open questions may have their answer from a rule: a run goes on with them, or rules came. */
  takeRulesToTry(): boolean {
    const hadNewRules = this.#hasNewRules;
    this.#hasNewRules = false;
    const tried = this.#triedRules;
    this.#triedRules = true;
    return hadNewRules || (!tried && this.facts().askedAt === undefined);
  }

  stage(name: string, value: JsonValue, withCall = ''): void {
    const staged = this.#staged.get(withCall) ?? new Map<string, JsonValue>();
    this.#staged.set(withCall, staged.set(name, value));
  }

  /** Puts what was staged into the journal, right before the events it belongs to. False where nothing was. */
  unstage(events: readonly AgentEvent[]): boolean {
    if (this.#staged.size === 0) return false;
    this.#unstage('');
    for (const event of events) if (event.type === 'TOOL_RESULT_END') this.#unstage(event.toolCallId);
    return true;
  }
  #unstage(withCall: string): void {
    for (const [name, value] of this.#staged.get(withCall) ?? []) this.#journal.set(name, value);
    this.#staged.delete(withCall);
  }

  requestStop(reason: string): void {
    this.#stops.add(reason);
  }

  get isStopping(): boolean {
    return this.#stops.size > 0;
  }

  /** The stops that were asked for since, as events. */
  takeStops(): readonly AgentEvent[] {
    if (this.#stops.size === 0) return NO_EVENTS;
    const stops = Array.from(this.#stops, (reason) => createEvent('REQUEST_STOP', { replyId: this.replyId, reason, generateReason: 'MIDDLEWARE_STOP_REQUESTED' }));
    this.#stops.clear();
    return stops;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  failed(error: unknown): void {
    this.failure = { error };
  }
}

function mergeOptions(agent: GenerateOptions | undefined, call: GenerateOptions | undefined): GenerateOptions | undefined {
  return agent && call ? { ...agent, ...call } : (call ?? agent);
}
