import { trace } from '@opentelemetry/api';
import type { Context, Meter, Tracer } from '@opentelemetry/api';
import type { AgentEvent } from '../event/index.ts';
import type { RunContext } from '../hook/index.ts';
import type { Msg, ToolResultBlock } from '../message/index.ts';
import type { AgentInputs, Middleware, ModelCallInput, Next, OwnMiddleware, ToolCallInput } from '../middleware/index.ts';
import type { ChatResponse } from '../model/index.ts';
import { contentRecorder } from './content.ts';
import type { ContentRecorder } from './content.ts';
import { GenAiMetrics } from './genai-metrics.ts';
import { SCOPE } from './names.ts';
import { TracedCall } from './traced-call.ts';
import { TracedRun } from './traced-run.ts';
import { TracedTool } from './traced-tool.ts';
import { within } from './within.ts';

export interface OtelTracingOptions {
  /** Makes the spans. Default: a tracer of the global provider, looked up for each run. */
  readonly tracer?: Tracer | undefined;
  /** Makes the metrics. Default: a meter of the global provider, looked up for each run. */
  readonly meter?: Meter | undefined;
  /**
   * Puts what people, models and tools say on the spans: system prompt, messages, arguments, results, words of errors. Secrets are
   * masked all the same. A function is given each text, and what it gives back is recorded; the text is left out where it throws.
   * Default false.
   */
  readonly captureContent?: boolean | ((text: string) => string) | undefined;
  /** Place among the middleware, high is outer. Default 0, inside of all that keep their default: spans say what was really sent. */
  readonly order?: number | undefined;
}

type Events = AsyncGenerator<AgentEvent, unknown, undefined>;

/**
 * Spans and metrics of OpenTelemetry's GenAI conventions (semantic conventions 1.41): `invoke_agent` for each run of a reply, below it
 * `chat` for each request to a model and `execute_tool` for each tool that runs. Nothing is recorded of what was said unless asked for.
 *
 * An agent that a tool asks stands below the span of that tool. What a tool traces itself does too, where the SDK's context manager is
 * active. Without an SDK nothing is made and events pass untouched. It changes no event and fails no reply. A run that goes on after a
 * pause is a span of its own, with a link to the one before.
 */
export function otelTracing(options: OtelTracingOptions = {}): Middleware {
  return new OtelTracing(options);
}

class OtelTracing implements OwnMiddleware {
  readonly isOwn = true;
  readonly name = 'otelTracing';
  readonly order: number;
  readonly #tracer: Tracer | undefined;
  readonly #metrics: GenAiMetrics;
  readonly #content: ContentRecorder | undefined;
  /** Runs that are recorded. */
  readonly #runs = new WeakMap<RunContext, TracedRun>();

  constructor({ tracer, meter, captureContent = false, order = 0 }: OtelTracingOptions) {
    this.order = order;
    this.#tracer = tracer;
    this.#metrics = new GenAiMetrics(meter);
    this.#content = contentRecorder(captureContent);
  }

  onAgent(input: AgentInputs, next: Next<AgentInputs, Msg>, ctx: RunContext): Events {
    const metrics = this.#metrics.instruments();
    const run = new TracedRun(ctx, { input, tracer: this.#tracer ?? trace.getTracer(SCOPE), metrics, content: this.#content });
    if (run.isIdle) return next(input);
    this.#runs.set(ctx, run);
    return around(run, next(input));
  }

  onModelCall(input: ModelCallInput, next: Next<ModelCallInput, ChatResponse>, ctx: RunContext): Events {
    const run = this.#runs.get(ctx);
    return run ? around(new TracedCall(run, input), next(input)) : next(input);
  }

  onToolCall(input: ToolCallInput, next: Next<ToolCallInput, ToolResultBlock>, ctx: RunContext): Events {
    const run = this.#runs.get(ctx);
    return run ? around(new TracedTool(run, input), next(input)) : next(input);
  }
}

/** What is traced as one span. */
interface Traced<R> {
  readonly context: Context;
  see(event: AgentEvent): void;
  done(result: R): void;
  fail(error: unknown): void;
  /** Ends the span, whatever happened. */
  end(): void;
}

async function* around<R>(traced: Traced<R>, events: AsyncGenerator<AgentEvent, R, undefined>): AsyncGenerator<AgentEvent, R, undefined> {
  try {
    const result = yield* within(traced.context, events, (event) => traced.see(event));
    traced.done(result);
    return result;
  } catch (error) {
    traced.fail(error);
    throw error;
  } finally {
    traced.end();
  }
}
