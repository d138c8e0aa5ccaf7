import { createNoopMeter, metrics } from '@opentelemetry/api';
import type { Histogram, Meter, MeterProvider } from '@opentelemetry/api';
import { SCOPE } from './names.ts';

export interface Instruments {
  /** Seconds of a run, a model call or a tool. */
  readonly duration: Histogram;
  /** Seconds until a model call said something. */
  readonly firstChunk: Histogram;
  /** Tokens of a model call. */
  readonly tokens: Histogram;
}

/** Bounds that the conventions ask for. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const FIRST_CHUNK_SECONDS = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];

/** The instruments of the GenAI conventions. Those of the global provider are looked up anew when it changes: it may be set after us. */
export class GenAiMetrics {
  readonly #given: Instruments | undefined;
  #provider: MeterProvider | undefined;
  #found: Instruments | undefined;

  constructor(meter: Meter | undefined) {
    this.#given = meter && instrumentsOf(meter);
  }

  /** Undefined where nobody listens. */
  instruments(): Instruments | undefined {
    if (this.#given) return this.#given;
    const provider = metrics.getMeterProvider();
    if (provider === this.#provider) return this.#found;
    this.#provider = provider;
    const found = instrumentsOf(provider.getMeter(SCOPE));
    this.#found = found.duration === SILENT ? undefined : found;
    return this.#found;
  }
}

/** What every meter gives that belongs to no SDK. */
const SILENT = createNoopMeter().createHistogram('');

function instrumentsOf(meter: Meter): Instruments {
  const histogram = (name: string, explicitBucketBoundaries: number[], said: { readonly unit: string; readonly description: string }): Histogram => meter.createHistogram(name, { ...said, advice: { explicitBucketBoundaries } });
  return {
    duration: histogram('gen_ai.client.operation.duration', SECONDS, { unit: 's', description: 'Duration of a GenAI operation.' }),
    firstChunk: histogram('gen_ai.client.operation.time_to_first_chunk', FIRST_CHUNK_SECONDS, { unit: 's', description: 'Time until the first piece of a streamed answer.' }),
    tokens: histogram('gen_ai.client.token.usage', TOKENS, { unit: '{token}', description: 'Input and output tokens of a model call.' }),
  };
}
