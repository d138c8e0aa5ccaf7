import { context as contexts, SpanKind } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';
import type { AgentEvent } from '../event/index.ts';
import type { ContentBlock, ToolResultBlock, ToolResultState } from '../message/index.ts';
import type { ToolCallInput, Scope } from '../middleware/index.ts';
import { errorType, Operation, wordsOf } from './operation.ts';
import { toolEnded, toolRuns } from './running-tools.ts';
import type { TracedRun } from './traced-run.ts';

/** One tool that runs: `execute_tool`. */
export class TracedTool implements Scope<ToolResultBlock> {
  readonly #run: TracedRun;
  readonly #tool: Operation;
  readonly #child: string | undefined;
  readonly #output: ContentBlock[] = [];
  /** `running` stays where it asked an agent that waits for somebody: it is asked again then. */
  #state: ToolResultState = 'running';

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

  see(events: readonly AgentEvent[]): void {
    for (const event of events) this.#look(event);
  }

  #look(event: AgentEvent): void {
    if (event.source !== undefined) return;
    if (event.type === 'TOOL_RESULT_END') this.#state = event.state;
    else if (this.#run.content && event.type === 'TOOL_RESULT_TEXT_DELTA') this.#said(event.delta);
    else if (this.#run.content && event.type === 'TOOL_RESULT_DATA_DELTA') this.#output.push(event.data);
  }

  done(): void {
    this.#tool.span.setAttribute('agentscope.tool.state', this.#state);
    if (this.#state === 'error') this.#tool.fail('tool_error');
    if (this.#run.content) this.#tool.span.setAttributes(this.#run.content.toolOutput(this.#output));
  }

  fail(error: unknown): void {
    if (!this.#run.ctx.signal.aborted) this.#tool.fail(errorType(error), wordsOf(error));
  }

  end(): void {
    if (this.#child !== undefined) toolEnded(this.#child);
    this.#tool.end();
  }

  #said(text: string): void {
    const last = this.#output.at(-1);
    if (last?.type === 'text') this.#output[this.#output.length - 1] = { ...last, text: last.text + text };
    else this.#output.push({ type: 'text', text });
  }
}
