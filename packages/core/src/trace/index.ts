export { otelTracing } from './otel-tracing.ts';
export type { OtelTracingOptions } from './otel-tracing.ts';
