import { AgentScopeError } from '../error/index.ts';
import { createEvent } from '../event/index.ts';
import type { AgentEvent, ModelCallEndFacts, ModelCallPurpose } from '../event/index.ts';
import type { ChatUsage, Msg } from '../message/index.ts';
import type { ChatResponseChunk, ModelRequest, ToolChoice } from '../model/index.ts';
import { abortable } from './abortable.ts';
import { BlockWriter } from './block-writer.ts';
import type { ReplyError } from './next-step.ts';
import type { Reply, StepEvents } from './reply.ts';
import { isShutDown } from './shut-down.ts';
import { steerHints } from './steers.ts';

export interface ModelCallOptions {
  readonly purpose: ModelCallPurpose;
  readonly toolChoice?: ToolChoice | undefined;
  /** Why it is a repair, where the record has to say it. */
  readonly cause?: 'structured';
}

/** One model call, from MODEL_CALL_START to MODEL_CALL_END in every ending; what others said into the reply is read first. */
export async function* modelCall(reply: Reply, { purpose, toolChoice, cause }: ModelCallOptions): StepEvents {
  const { replyId, model, signal } = reply;
  const call = reply.facts().calls + 1;
  yield [...steerHints(reply), createEvent('MODEL_CALL_START', { replyId, modelName: model.modelName, metadata: { call, purpose, ...(cause ? { cause } : {}) } })];
  const writer = new BlockWriter({ replyId, prefix: `b${reply.epoch}.${call}`, withoutCalls: purpose === 'summary' });
  const ending = new Ending(reply);
  let events: AgentEvent[] = [];
  try {
    for await (const chunk of abortable(model.stream(ending.asking(await requestOf(reply, { purpose, toolChoice })), { signal }), signal)) {
      ending.note(chunk);
      writer.write(chunk.content, events);
      if (events.length === 0) continue;
      yield events;
      events = [];
    }
  } catch (error) {
    ending.thrown(error);
  }
  if (isShutDown(signal.reason)) return; // it did not end: whoever goes on takes it back and asks again
  const last = events; // what came before a malformed increment stays
  writer.close(last);
  if (purpose === 'summary' && ending.error) writeText(last, { replyId, blockId: `b${reply.epoch}.${call}.summary` }, summaryFailed(ending.error));
  last.push(createEvent('MODEL_CALL_END', { replyId, ...ending.fields(purpose) }));
  yield last;
}

async function requestOf(reply: Reply, { purpose, toolChoice }: ModelCallOptions): Promise<ModelRequest> {
  const { system, toolkit } = reply.config;
  const list = await reply.messages(system ? [system] : []);
  const tools = toolkit.getToolSchemas();
  let messages: readonly Msg[] | undefined;
  return {
    // A list of thousands costs more than the rest of the turn, and not every model looks at it.
    get messages(): readonly Msg[] {
      return (messages ??= list());
    },
    tools: tools.length > 0 ? tools : undefined,
    toolChoice: tools.length > 0 ? toolChoice : undefined,
    options: reply.generateOptions,
    ...reply.structured?.ask({ tools, reminders: reply.facts().structured?.reminders ?? 0, isSummary: purpose === 'summary' }),
  };
}

/** Gathers what MODEL_CALL_END says. */
class Ending {
  readonly #reply: Reply;
  readonly #startedAt: number;
  #usage: ChatUsage | undefined;
  #facts: ModelCallEndFacts = {};
  #interrupted = false;
  #isAsked = false;
  #hasContent = false;
  error: ReplyError | undefined;

  constructor(reply: Reply) {
    this.#reply = reply;
    this.#startedAt = reply.config.clock();
  }

  note({ content, usage, finishReason, metadata }: ChatResponseChunk): void {
    if (content.length > 0) this.#hasContent = true;
    if (usage) this.#usage = usage;
    if (finishReason) this.#facts = { ...this.#facts, finishReason };
    for (const name of ['providerFinishReason', 'requestId'] as const) {
      const value = metadata?.[name];
      if (typeof value === 'string') this.#facts = { ...this.#facts, [name]: value };
    }
  }

  /** What is thrown from here on is the model's; what is thrown before is not (a memory). */
  asking(request: ModelRequest): ModelRequest {
    this.#isAsked = true;
    return request;
  }

  thrown(error: unknown): void {
    if (this.#reply.signal.aborted) this.#interrupted = true;
    else {
      const known = this.#isAsked ? toModelError(error, this.#reply.model.provider) : error;
      if (!this.#hasContent && this.#reply.structured?.stepsDown(known)) {
        this.#facts = { ...this.#facts, discarded: true };
        return;
      }
      this.#reply.failed(known);
      this.error = toReplyError(known);
    }
  }

  fields(purpose: ModelCallPurpose): Record<string, unknown> {
    const error = purpose === 'summary' || !this.error ? {} : { error: this.error };
    const time = (this.#reply.config.clock() - this.#startedAt) / 1000;
    return {
      ...(this.#usage ? { usage: { ...this.#usage, time: this.#usage.time ?? time } } : {}),
      ...(this.#interrupted ? { finishedReason: 'interrupted' } : {}),
      metadata: { ...this.#facts, ...error },
    };
  }
}

/** What a model threw, as one of our errors: an own model may throw anything. */
function toModelError(error: unknown, provider: string): AgentScopeError {
  if (AgentScopeError.is(error)) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new AgentScopeError('model/failed', `The model failed: ${said}`, { details: { provider, retryable: false }, cause: error });
}

/** Type and message for the record: no cause, no stack, nothing that could hold a key or a prompt. */
export function toReplyError(error: unknown): ReplyError {
  if (AgentScopeError.is(error)) return { type: error.code, message: error.message };
  return error instanceof Error ? { type: error.name, message: error.message } : { type: 'Error', message: String(error) };
}

function summaryFailed(error: ReplyError): string {
  return `The limit of model calls is reached, and the summary failed: ${error.message}`;
}

function writeText(events: AgentEvent[], where: { replyId: string; blockId: string }, text: string): void {
  events.push(createEvent('TEXT_BLOCK_START', where), createEvent('TEXT_BLOCK_DELTA', { ...where, delta: text }), createEvent('TEXT_BLOCK_END', where));
}
