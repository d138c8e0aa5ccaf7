import { context as contexts, SpanKind, trace } from '@opentelemetry/api';
import type { Attributes, Context, Link, Tracer } from '@opentelemetry/api';
import type { AgentEvent } from '../event/index.ts';
import type { RunContext } from '../hook/index.ts';
import type { ChatUsage, ToolUseBlock } from '../message/index.ts';
import { addUsage } from '../message/index.ts';
import type { AgentInputs, Scope } from '../middleware/index.ts';
import { stateKey } from '../state/index.ts';
import type { ContentRecorder } from './content.ts';
import type { Instruments } from './genai-metrics.ts';
import { errorType, Operation, wordsOf } from './operation.ts';
import { askedBy, childSession } from './running-tools.ts';
import { usageAttributes } from './usage-attributes.ts';

export interface Recording {
  readonly input: AgentInputs;
  readonly tracer: Tracer;
  readonly metrics: Instruments | undefined;
  readonly content: ContentRecorder | undefined;
}

/** The span of the run that paused, for the one that goes on, also in another process. */
const PAUSED = stateKey<{ readonly replyId: string; readonly traceId: string; readonly spanId: string; readonly traceFlags: number } | null>('agentscope.trace.paused', null);
const PAUSES = /^(PERMISSION_ASKING|TOOL_SUSPENDED|[A-Z]+_STOP_REQUESTED)$/;

/** One run of a reply: `invoke_agent`. */
export class TracedRun implements Scope<unknown> {
  readonly tracer: Tracer;
  readonly metrics: Instruments | undefined;
  readonly content: ContentRecorder | undefined;
  readonly ctx: RunContext;
  readonly #run: Operation;
  /** Session of the child that a call may ask, by call. */
  readonly #children = new Map<string, string>();
  readonly #started = new Set<string>();
  #usage: ChatUsage | null = null;
  #ended = false;

  constructor(ctx: RunContext, { input, tracer, metrics, content }: Recording) {
    this.tracer = tracer;
    this.metrics = metrics;
    this.ctx = ctx;
    const { agent, replyId } = ctx;
    this.#run = new Operation({
      tracer,
      metrics,
      name: `invoke_agent ${agent.name}`,
      kind: SpanKind.INTERNAL,
      parent: askedBy(ctx) ?? contexts.active(),
      // until a model is asked, its provider is not known
      dimensions: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.provider.name': 'agentscope', 'gen_ai.agent.name': agent.name },
      attributes: {
        ...this.common,
        'gen_ai.agent.id': agent.id,
        ...(agent.description === '' ? {} : { 'gen_ai.agent.description': agent.description }),
        'agentscope.reply.id': replyId,
        'agentscope.reply.goes_on': input.goesOn,
      },
      links: this.#links(),
      withWords: content !== undefined,
    });
    this.content = this.#run.span.isRecording() ? content : undefined;
    if (this.content) this.#run.span.setAttributes(this.content.input(input.messages));
  }

  /** True where nobody would see any of it. */
  get isIdle(): boolean {
    const { span } = this.#run;
    return this.metrics === undefined && !span.isRecording() && !trace.isSpanContextValid(span.spanContext());
  }

  run<T>(work: () => T): T {
    return contexts.with(this.context, work);
  }

  get context(): Context {
    return this.#run.context;
  }

  /** What every span of the run says. */
  get common(): Attributes {
    return { 'gen_ai.conversation.id': this.ctx.sessionId };
  }

  /** The model of the run becomes known with its first request. */
  modelIs(dimensions: Attributes): void {
    this.#run.describe(dimensions);
  }

  /** The session of the agent that this call asks, where it asks one. */
  childOf(call: ToolUseBlock): string | undefined {
    this.#started.add(call.id);
    return this.#children.get(call.id);
  }

  see(events: readonly AgentEvent[]): void {
    for (const event of events) this.#look(event);
  }

  #look(event: AgentEvent): void {
    if (event.source !== undefined) return;
    if (event.type === 'TOOL_RESULT_START') this.#noteKey(event.toolCallId, event.metadata?.['run']);
    else if (event.type === 'TOOL_RESULT_END' && !this.#started.has(event.toolCallId)) this.#notRun(event);
    else if (event.type === 'MODEL_CALL_END') this.#bookUsage(event);
    else if (event.type === 'AGENT_RESULT' && this.content) this.#run.span.setAttributes(this.content.output(event.result.content));
    else if (event.type === 'AGENT_END') this.#replyEnds(event);
  }

  done(): void {}

  fail(error: unknown): void {
    if (!this.ctx.signal.aborted) this.#run.fail(errorType(error), wordsOf(error));
  }

  /** A run that ends before its reply does was left open: by a shutdown, or by an error outside of it. */
  end(): void {
    if (!this.#ended) this.#run.span.setAttribute('agentscope.reply.left_open', true);
    this.#run.span.setAttributes(usageAttributes(this.#usage));
    this.#run.end();
  }

  #links(): Link[] | undefined {
    const paused = this.ctx.state.get(PAUSED);
    if (paused === null || paused.replyId !== this.ctx.replyId) return undefined;
    const { traceId, spanId, traceFlags } = paused;
    return [{ context: { traceId, spanId, traceFlags, isRemote: true } }];
  }

  /** The key of a call is in its intent, which is said before it starts. */
  #noteKey(callId: string, run: unknown): void {
    this.#started.delete(callId);
    if (typeof run === 'object' && run !== null && 'key' in run && typeof run.key === 'string') this.#children.set(callId, childSession(this.ctx, run.key));
  }

  /** A call that was denied, refused or given a result without running has no span of its own. */
  #notRun({ toolCallId, toolCallName, state }: Extract<AgentEvent, { type: 'TOOL_RESULT_END' }>): void {
    this.#run.span.addEvent('agentscope.tool.not_run', { 'gen_ai.tool.name': toolCallName, 'gen_ai.tool.call.id': toolCallId, 'agentscope.tool.state': state });
  }

  #bookUsage({ usage, metadata }: Extract<AgentEvent, { type: 'MODEL_CALL_END' }>): void {
    if (usage) this.#usage = addUsage(this.#usage, usage);
    const reason = metadata?.['finishReason'];
    if (typeof reason === 'string') this.#run.span.setAttribute('gen_ai.response.finish_reasons', [reason]);
  }

  #replyEnds({ generateReason = 'MODEL_STOP', error }: Extract<AgentEvent, { type: 'AGENT_END' }>): void {
    this.#ended = true;
    this.#run.span.setAttribute('agentscope.reply.reason', generateReason);
    if (error) this.#run.fail(error.type, error.message);
    const { traceId, spanId, traceFlags } = this.#run.span.spanContext();
    if (PAUSES.test(generateReason) && this.#run.span.isRecording()) this.ctx.state.set(PAUSED, { replyId: this.ctx.replyId, traceId, spanId, traceFlags });
  }
}
