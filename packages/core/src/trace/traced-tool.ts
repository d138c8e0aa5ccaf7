import { context as contexts, SpanKind } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';
import type { ToolResultBlock } from '../message/index.ts';
import type { ToolCallInput, Scope } from '../middleware/index.ts';
import { errorType, Operation, wordsOf } from './operation.ts';
import { toolEnded, toolRuns } from './running-tools.ts';
import type { TracedRun } from './traced-run.ts';

/** One tool that runs: `execute_tool`. */
export class TracedTool implements Scope<ToolResultBlock> {
  readonly #run: TracedRun;
  readonly #tool: Operation;
  readonly #child: string | undefined;

  constructor(run: TracedRun, { toolCall, tool }: ToolCallInput) {
    this.#run = run;
    this.#tool = new Operation({
      tracer: run.tracer,
      metrics: run.metrics,
      name: `execute_tool ${tool.name}`,
      kind: SpanKind.INTERNAL,
      parent: run.context,
      dimensions: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool.name },
      attributes: {
        ...run.common,
        'gen_ai.agent.name': run.ctx.agent.name,
        'gen_ai.tool.call.id': toolCall.id,
        'gen_ai.tool.description': tool.description,
        'gen_ai.tool.type': 'function',
      },
      withWords: run.content !== undefined,
    });
    if (run.content) this.#tool.span.setAttributes(run.content.toolInput(toolCall.input));
    this.#child = run.childOf(toolCall);
    if (this.#child !== undefined) toolRuns(this.#child, this.#tool.context);
  }

  run<T>(work: () => T): T {
    return contexts.with(this.context, work);
  }

  get context(): Context {
    return this.#tool.context;
  }

  see(): void {}

  /** `running`: it asked an agent that waits for somebody, and is asked again then. */
  done({ state, output }: ToolResultBlock): void {
    this.#tool.span.setAttribute('agentscope.tool.state', state);
    if (state === 'error') this.#tool.fail('tool_error');
    if (this.#run.content) this.#tool.span.setAttributes(this.#run.content.toolOutput(output));
  }

  fail(error: unknown): void {
    if (!this.#run.ctx.signal.aborted) this.#tool.fail(errorType(error), wordsOf(error));
  }

  end(): void {
    if (this.#child !== undefined) toolEnded(this.#child);
    this.#tool.end();
  }
}
