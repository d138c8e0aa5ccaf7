import { trace } from '@opentelemetry/api';
import type { Meter, Tracer } from '@opentelemetry/api';
import type { RunContext } from '../hook/index.ts';
import type { Middleware, OwnMiddleware, OwnScopes } from '../middleware/index.ts';
import { contentRecorder } from './content.ts';
import { GenAiMetrics } from './genai-metrics.ts';
import { SCOPE } from './names.ts';
import { TracedCall } from './traced-call.ts';
import { TracedRun } from './traced-run.ts';
import { TracedTool } from './traced-tool.ts';

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
}

/**
 * Spans and metrics of OpenTelemetry's GenAI conventions (semantic conventions 1.41): `invoke_agent` for each run of a reply, below it
 * `chat` for each request to a model and `execute_tool` for each tool that runs. Nothing is recorded of what was said unless asked for.
 *
 * An agent that a tool asks stands below the span of that tool. What a tool traces itself does too, where the SDK's context manager is
 * active. It stands inside of all other middleware: spans say what was really sent, and each model that is asked has its own. A run
 * that goes on after a pause is a span of its own, with a link to the one before. Without an SDK nothing is made.
 */
export function otelTracing(options: OtelTracingOptions = {}): Middleware {
  const tracing: OwnMiddleware = { isOwn: true, name: 'otelTracing', scopes: scopesOf(options) };
  return tracing;
}

/** Runs that are recorded. */
type Runs = WeakMap<RunContext, TracedRun>;

/** Only looks, so it has no layer: where nobody listens a run costs one span that is none. */
function scopesOf({ tracer, meter, captureContent = false }: OtelTracingOptions): OwnScopes {
  const metrics = new GenAiMetrics(meter);
  const content = contentRecorder(captureContent);
  const runs: Runs = new WeakMap();
  return {
    onAgent(input, ctx) {
      const run = new TracedRun(ctx, { input, tracer: tracer ?? trace.getTracer(SCOPE), metrics: metrics.instruments(), content });
      if (run.isIdle) return undefined;
      runs.set(ctx, run);
      return run;
    },
    onModelCall(input, ctx) {
      const run = runs.get(ctx);
      return run && new TracedCall(run, input);
    },
    onToolCall(input, ctx) {
      const run = runs.get(ctx);
      return run && new TracedTool(run, input);
    },
  };
}
