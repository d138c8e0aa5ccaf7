import type { AgentEvent } from '../event/index.ts';

/** Which blocks, calls and results a stream of events has open, and what is wrong with its next event. */
export class OpenBlocks {
  readonly #open = new Set<string>();

  /** Undefined for what keeps its place; else the rule it breaks. */
  note(event: AgentEvent): string | undefined {
    const [, kind, edge] = /^(TEXT_BLOCK|THINKING_BLOCK|DATA_BLOCK|TOOL_CALL)_(START|DELTA|END)$/.exec(event.type) ?? [];
    if (kind === undefined) {
      if (event.type === 'MODEL_CALL_END' && event.metadata?.['discarded'] === true) this.#open.clear();
      return undefined;
    }
    const id = `${kind} ${'blockId' in event ? event.blockId : 'toolCallId' in event ? event.toolCallId : ''}`;
    const isOpen = this.#open.has(id);
    if (edge === 'START') {
      this.#open.add(id);
      return isOpen ? `${event.type} of ${id}, which is open` : undefined;
    }
    if (!isOpen) return `${event.type} of ${id}, which is not open`;
    if (edge === 'END') this.#open.delete(id);
    return undefined;
  }

  /** What should have been closed. */
  get left(): string | undefined {
    const [first] = this.#open;
    return first;
  }
}
