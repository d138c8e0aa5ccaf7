import { context as contexts, SpanKind } from '@opentelemetry/api';
import type { Attributes, Context } from '@opentelemetry/api';
import type { AgentEvent } from '../event/index.ts';
import type { ModelCallInput, Scope } from '../middleware/index.ts';
import type { ChatResponse, GenerateOptions } from '../model/index.ts';
import { providerName } from './names.ts';
import { errorType, Operation, wordsOf } from './operation.ts';
import type { TracedRun } from './traced-run.ts';
import { usageAttributes } from './usage-attributes.ts';

/** One request to a model: `chat`. */
export class TracedCall implements Scope<ChatResponse> {
  readonly #run: TracedRun;
  readonly #call: Operation;
  #heard = false;

  constructor(run: TracedRun, input: ModelCallInput) {
    const { model, options, purpose } = input;
    const asked = { 'gen_ai.provider.name': providerName(model.provider), 'gen_ai.request.model': model.modelName };
    this.#run = run;
    run.modelIs(asked);
    this.#call = new Operation({
      tracer: run.tracer,
      metrics: run.metrics,
      name: `chat ${model.modelName}`,
      kind: SpanKind.CLIENT,
      parent: run.context,
      dimensions: { 'gen_ai.operation.name': 'chat', ...asked },
      attributes: {
        ...run.common,
        'gen_ai.agent.name': run.ctx.agent.name,
        'gen_ai.output.type': 'responseFormat' in input && input.responseFormat !== undefined ? 'json' : 'text',
        ...requestAttributes(options),
        'agentscope.model_call.purpose': purpose,
      },
      withWords: run.content !== undefined,
    });
    if (run.content) this.#call.span.setAttributes(run.content.input(input.messages));
  }

  run<T>(work: () => T): T {
    return contexts.with(this.context, work);
  }

  get context(): Context {
    return this.#call.context;
  }

  see(events: readonly AgentEvent[]): void {
    for (const event of events) this.#look(event);
  }

  #look(event: AgentEvent): void {
    if (this.#heard || event.type === 'MODEL_CALL_START' || event.type === 'MODEL_CALL_END') return;
    this.#heard = true;
    const seconds = this.#call.elapsed;
    this.#call.span.setAttribute('gen_ai.response.time_to_first_chunk', seconds);
    this.#run.metrics?.firstChunk.record(seconds, this.#call.dimensions, this.#call.context);
  }

  done({ id, usage, finishReason, metadata, content }: ChatResponse): void {
    const model = metadata?.['model'];
    if (typeof model === 'string') this.#call.describe({ 'gen_ai.response.model': model });
    this.#call.span.setAttributes({
      ...(id === '' ? {} : { 'gen_ai.response.id': id }),
      ...(finishReason === undefined ? {} : { 'gen_ai.response.finish_reasons': [finishReason] }),
      ...usageAttributes(usage),
      ...this.#run.content?.output(content, finishReason),
    });
    if (!usage) return;
    const { metrics } = this.#run;
    metrics?.tokens.record(usage.inputTokens, { ...this.#call.dimensions, 'gen_ai.token.type': 'input' }, this.#call.context);
    metrics?.tokens.record(usage.outputTokens, { ...this.#call.dimensions, 'gen_ai.token.type': 'output' }, this.#call.context);
  }

  /** An interrupt is no error: somebody wanted it. */
  fail(error: unknown): void {
    if (this.#run.ctx.signal.aborted) this.#call.span.setAttribute('gen_ai.response.finish_reasons', ['interrupted']);
    else this.#call.fail(errorType(error), wordsOf(error));
  }

  end(): void {
    this.#call.end();
  }
}

/** What the agent asked for; what the model object adds of its own is not known here. Headers and bodies are not looked at. */
function requestAttributes(options: GenerateOptions): Attributes {
  const { maxTokens, temperature, topP, topK, frequencyPenalty, presencePenalty, seed } = options;
  return {
    ...(maxTokens === undefined ? {} : { 'gen_ai.request.max_tokens': maxTokens }),
    ...(temperature === undefined ? {} : { 'gen_ai.request.temperature': temperature }),
    ...(topP === undefined ? {} : { 'gen_ai.request.top_p': topP }),
    ...(topK === undefined ? {} : { 'gen_ai.request.top_k': topK }),
    ...(frequencyPenalty === undefined ? {} : { 'gen_ai.request.frequency_penalty': frequencyPenalty }),
    ...(presencePenalty === undefined ? {} : { 'gen_ai.request.presence_penalty': presencePenalty }),
    ...(seed === undefined ? {} : { 'gen_ai.request.seed': seed }),
  };
}
