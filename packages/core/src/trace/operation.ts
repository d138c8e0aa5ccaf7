import { SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, Link, Span, SpanKind, Tracer } from '@opentelemetry/api';
import { AgentScopeError } from '../error/index.ts';
import type { Instruments } from './genai-metrics.ts';

export interface OperationOptions {
  readonly tracer: Tracer;
  readonly metrics: Instruments | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly parent: Context;
  readonly attributes: Attributes;
  /** Of `attributes`, what is also said of the metrics; no ids in here. */
  readonly dimensions: Attributes;
  readonly links?: Link[] | undefined;
  /** Whether the words of errors may be recorded: they can quote what was said. */
  readonly withWords: boolean;
}

/** One span and its duration, from construction to `end`. */
export class Operation {
  readonly span: Span;
  readonly context: Context;
  readonly #metrics: Instruments | undefined;
  readonly #startedAt = performance.now();
  readonly #withWords: boolean;
  #dimensions: Attributes;
  #ended = false;

  constructor({ tracer, metrics, name, kind, parent, attributes, dimensions, links, withWords }: OperationOptions) {
    this.span = tracer.startSpan(name, { kind, attributes: { ...dimensions, ...attributes }, ...(links ? { links } : {}) }, parent);
    this.context = trace.setSpan(parent, this.span);
    this.#metrics = metrics;
    this.#dimensions = dimensions;
    this.#withWords = withWords;
  }

  /** What both the span and the metrics say, known later than the start. */
  describe(dimensions: Attributes): void {
    this.#dimensions = { ...this.#dimensions, ...dimensions };
    this.span.setAttributes(dimensions);
  }

  get dimensions(): Attributes {
    return this.#dimensions;
  }

  /** Seconds since the start. */
  get elapsed(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  fail(type: string, words?: string): void {
    this.describe({ 'error.type': type });
    this.span.setStatus({ code: SpanStatusCode.ERROR, ...(this.#withWords && words !== undefined ? { message: words } : {}) });
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#metrics?.duration.record(this.elapsed, this.#dimensions, this.context);
    this.span.end();
  }
}

/** A word for the class of an error: our code, else its name. */
export function errorType(error: unknown): string {
  if (AgentScopeError.is(error)) return error.code;
  return error instanceof Error && error.name !== '' ? error.name : '_OTHER';
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
