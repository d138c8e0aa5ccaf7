import { createEvent } from '../event/index.ts';
import type { AgentEvent, ModelCallPurpose } from '../event/index.ts';
import type { ToolChoice } from '../model/index.ts';
import { CallEnding } from './call-ending.ts';
import type { Reply } from './reply.ts';

export interface ModelCallOptions {
  readonly purpose: Exclude<ModelCallPurpose, 'rewrite'>;
  readonly toolChoice?: ToolChoice | undefined;
  /** Why it is a repair, where the record has to say it. */
  readonly cause?: 'structured';
}

/**
 * What stands around the blocks of one model call: its start and its end, once each, whatever happens in between. A call that is made
 * again (another model, a second try) or said anew (by a hook) is taken back first and keeps its number.
 */
export class CallFrame {
  readonly number: number;
  readonly #reply: Reply;
  readonly #options: ModelCallOptions;
  #attempts = 0;
  #isOpen = false;
  #hasBegun = false;
  #ending: CallEnding;
  #anew: AgentEvent[] | undefined;
  /** Ends that `begin` made and that have not come through the layers. */
  #ownEnds = 0;
  #held: AgentEvent | undefined;
  /** The end of each block that is open. */
  readonly #open = new Map<string, AgentEvent>();

  constructor(reply: Reply, options: ModelCallOptions) {
    this.#reply = reply;
    this.#options = options;
    this.number = reply.facts().calls + 1;
    this.#ending = new CallEnding(reply);
  }

  get ending(): CallEnding {
    return this.#ending;
  }

  /** A start was made: by the model being asked, or by what a layer said. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Makes the ids of an attempt's blocks unique in the reply. */
  get prefix(): string {
    return `b${this.#reply.epoch}.${this.number}${this.#attempts > 1 ? `r${this.#attempts}` : ''}`;
  }

  /** The model is about to be asked. */
  begin(modelName: string): AgentEvent[] {
    const before = this.#isOpen ? [this.#takenBack()] : [];
    this.#ownEnds += before.length;
    this.#attempts++;
    this.#ending = new CallEnding(this.#reply);
    return [...before, this.#start(modelName, this.#options.purpose)];
  }

  /** What layers leave of the stage, with its starts and ends in order. */
  settle(events: readonly AgentEvent[]): AgentEvent[] {
    const settled = events.flatMap((event) => this.#settleOne(event));
    for (const event of settled) this.#note(event);
    if (this.#anew === undefined) return settled;
    this.#anew.push(...settled);
    return [];
  }

  /** Ends it, in every ending; a call that no model was asked for gets its start now. */
  end(last: readonly AgentEvent[]): AgentEvent[] {
    const before = [...this.#release(), ...(this.#anew ?? []), ...this.#open.values()];
    const opened = this.#isOpen ? [] : [this.#start(this.#reply.model.modelName, this.#options.purpose)];
    this.#isOpen = false;
    return [...before, ...opened, ...last, createEvent('MODEL_CALL_END', { replyId: this.#reply.replyId, ...this.#ending.fields(this.#options.purpose) })];
  }

  #settleOne(event: AgentEvent): AgentEvent[] {
    if (event.source !== undefined) return [event];
    if (event.type === 'MODEL_CALL_END') return this.#endedBy(event);
    if (event.type === 'MODEL_CALL_START') return this.#startedBy(event);
    const before = this.#release();
    return this.#isOpen || !IN_A_CALL.test(event.type) ? [...before, event] : [...before, this.#start(this.#reply.model.modelName, this.#options.purpose), event];
  }

  /** Our own passes; a layer's takes back what was said, and waits for what comes instead. */
  #endedBy(event: AgentEvent): AgentEvent[] {
    if (this.#ownEnds > 0) {
      this.#ownEnds--;
      return [event];
    }
    if (this.#isOpen) this.#held = this.#takenBack();
    return [];
  }

  /** What is said anew is kept together, so that it becomes durable at once. */
  #startedBy(event: Extract<AgentEvent, { type: 'MODEL_CALL_START' }>): AgentEvent[] {
    if (event.metadata?.['purpose'] === 'rewrite') {
      this.#anew ??= this.#release();
      return [this.#start(this.#reply.model.modelName, 'rewrite')];
    }
    const before = this.#release();
    return this.#isOpen ? [...before, event] : [...before, this.#start(this.#reply.model.modelName, this.#options.purpose)];
  }

  /** A layer that fails in the middle leaves blocks open; they end with the call. */
  #note(event: AgentEvent): void {
    if (event.source !== undefined || !IN_A_CALL.test(event.type)) return;
    const key = 'blockId' in event ? `block ${event.blockId}` : 'toolCallId' in event ? `call ${event.toolCallId}` : '';
    if (event.type.endsWith('_END')) this.#open.delete(key);
    else if (event.type.endsWith('_START')) this.#open.set(key, { ...event, id: '', createdAt: '', type: event.type.replace(/START$/, 'END') } as AgentEvent);
  }

  #release(): AgentEvent[] {
    const held = this.#held;
    this.#held = undefined;
    return held ? [held] : [];
  }

  #takenBack(): AgentEvent {
    this.#isOpen = false;
    this.#open.clear();
    return createEvent('MODEL_CALL_END', { replyId: this.#reply.replyId, ...this.#ending.takeUsage(), metadata: { call: this.number, discarded: true } });
  }

  #start(modelName: string, purpose: string): AgentEvent {
    this.#isOpen = true;
    this.#hasBegun = true;
    const { cause } = this.#options;
    return createEvent('MODEL_CALL_START', { replyId: this.#reply.replyId, modelName, metadata: { call: this.number, purpose, ...(cause ? { cause } : {}) } });
  }
}

const IN_A_CALL = /^(TEXT_BLOCK|THINKING_BLOCK|DATA_BLOCK|TOOL_CALL)_/;
