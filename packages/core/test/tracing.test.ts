import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { AgentEvent } from '../src/event/index.ts';
import { otelTracing } from '../src/trace/index.ts';
import { jsonlTrace } from '../src/trace/node.ts';
import type { TraceLine } from '../src/trace/node.ts';
import { endingOf, generatedRun, play } from './generated-runs.ts';
import type { Ledger } from './generated-runs.ts';

const RUNS = 300;

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

/** Every span that was begun, and how often each was ended. */
class Seen implements SpanProcessor {
  readonly begun: ReadableSpan[] = [];
  readonly ends = new Map<string, number>();
  onStart(span: ReadableSpan): void {
    this.begun.push(span);
  }
  onEnd(span: ReadableSpan): void {
    const { spanId } = span.spanContext();
    this.ends.set(spanId, (this.ends.get(spanId) ?? 0) + 1);
  }
  forceFlush = (): Promise<void> => Promise.resolve();
  shutdown = (): Promise<void> => Promise.resolve();
}

const withoutIds = (streams: readonly (readonly AgentEvent[])[]): unknown => JSON.parse(JSON.stringify(streams.map((events) => events.map(({ type, ...rest }) => [type, 'delta' in rest ? rest.delta : undefined, 'state' in rest ? rest.state : undefined]))));

test('in every ending each span is ended once, below the run it belongs to; a request to a model and a tool that ran have one each', { timeout: 60_000 }, async () => {
  const endings = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(generatedRun, async (run) => {
      const seen = new Seen();
      const tracer = new BasicTracerProvider({ spanProcessors: [seen] }).getTracer('test');
      const ledger: Ledger = new Map();
      const played = await play(run, { ledger, middleware: [otelTracing({ tracer })] });
      const ending = endingOf(played);
      endings.set(ending, (endings.get(ending) ?? 0) + 1);
      await expect.poll(() => seen.begun.filter((span) => seen.ends.get(span.spanContext().spanId) !== 1).map(({ name }) => name)).toEqual([]);
      const of = (operation: string): readonly ReadableSpan[] => seen.begun.filter(({ attributes }) => attributes['gen_ai.operation.name'] === operation);
      const runs = new Set(of('invoke_agent').map((span) => span.spanContext().spanId));
      expect(runs.size).toBeGreaterThanOrEqual(played.streams.length); // one more where a steer came too late and began a reply
      for (const span of [...of('chat'), ...of('execute_tool')]) expect([span.name, runs.has(span.parentSpanContext?.spanId ?? '')]).toEqual([span.name, true]);
      const counted = of('execute_tool').filter(({ attributes }) => ['read', 'once', 'keyed', 'asks'].includes(String(attributes['gen_ai.tool.name'])));
      const ran = [...ledger.values()].reduce((sum, each) => sum + each, 0);
      if (run.interruptAt === undefined) expect([of('chat').length, counted.length]).toEqual([played.model.requests.length, ran]);
      else expect([of('chat').length >= played.model.requests.length, counted.length >= ran]).toEqual([true, true]); // stopped before it was asked
    }),
    { numRuns: RUNS },
  );
  const rare = [...endings].filter(([, count]) => count < RUNS * 0.03);
  expect([endings.size >= 5, rare]).toEqual([true, []]);
});

test('a trace file has each event of each run once, in order, in every ending, and no half lines', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentscope-trace-'));
  try {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(generatedRun, async (run) => {
        const path = join(folder, `${runs++}.jsonl`);
        const trace = jsonlTrace(path, { maxTextLength: 5 });
        const played = await play(run, { middleware: [trace] });
        await trace.close();
        const lines = readFileSync(path, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as TraceLine);
        const told = played.streams.flat().filter(({ type }) => !/_DELTA$|_BLOCK_START$|^TOOL_CALL_START$/.test(type)).map(({ id }) => id);
        const known = new Set(told);
        expect(lines.flatMap(({ id }) => (typeof id === 'string' && known.has(id) ? [id] : []))).toEqual(told);
      }),
      { numRuns: RUNS / 2 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('with it the events are the same as without', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(generatedRun, async ({ interruptAt: _at, steer: _steer, ...calm }) => {
      const run = { ...calm, interruptAt: undefined };
      const tracer = new BasicTracerProvider().getTracer('test');
      const [plain, traced] = [await play(run), await play(run, { middleware: [otelTracing({ tracer, captureContent: true })] })];
      expect(withoutIds(traced.streams)).toEqual(withoutIds(plain.streams));
    }),
    { numRuns: RUNS / 3 },
  );
});
