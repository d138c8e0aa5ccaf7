// This library with tracing, and no SDK that listens.
import { otelTracing } from '@agentscope/core/trace';
import { runWith } from './agentscope.mjs';

export const run = runWith([otelTracing()]);
