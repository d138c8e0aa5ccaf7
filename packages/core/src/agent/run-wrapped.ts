import type { AgentEvent } from '../event/index.ts';
import type { ToolResultBlock, ToolUseBlock } from '../message/index.ts';
import { onion } from '../middleware/index.ts';
import type { StageEvents, ToolCallInput } from '../middleware/index.ts';
import { Channel } from './channel.ts';
import type { ReadyCall } from './decide.ts';
import { resultEnd } from './results.ts';
import type { Reply, StepEvents } from './reply.ts';

/** Runs one call without anything around it. */
type RunCall = (reply: Reply, ready: ReadyCall) => StepEvents;

type Item = { readonly events: readonly AgentEvent[]; committed(): void } | { readonly done: true } | { readonly error: unknown };

/** A group of calls, each with the agent's middleware around it; they run beside each other like any others. */
export async function* runWrapped(reply: Reply, group: readonly ReadyCall[], run: RunCall): StepEvents {
  const output = new Output();
  for (const ready of group) void pump(wrapped(reply, ready, run), output);
  try {
    for (let running = group.length; running > 0; ) {
      const items = await output.take();
      const events: AgentEvent[] = [];
      for (const item of items) {
        if ('error' in item) throw item.error;
        if ('done' in item) running--;
        else events.push(...item.events);
      }
      if (events.length > 0) yield events;
      for (const item of items) if ('committed' in item) item.committed();
    }
  } finally {
    output.leave();
  }
}

async function pump(batches: StepEvents, output: Output): Promise<void> {
  try {
    for await (const events of batches) await output.say(events);
    output.push({ done: true });
  } catch (error) {
    output.push({ error });
  }
}

/** What the calls of a group say. A layer goes on when its events are committed, so that it is given the result as it stands then. */
class Output {
  readonly #channel = new Channel<Item>(Infinity);
  readonly #waiting = new Set<() => void>();
  #isLeft = false;

  async take(): Promise<readonly Item[]> {
    return (await this.#channel.take()) ?? [];
  }

  push(item: Item): void {
    this.#channel.push([item]);
  }

  async say(events: readonly AgentEvent[]): Promise<void> {
    if (this.#isLeft) return;
    await new Promise<void>((resolve) => {
      const committed = (): void => {
        this.#waiting.delete(committed);
        resolve();
      };
      this.#waiting.add(committed);
      this.push({ events, committed });
    });
  }

  /** Nobody takes any more: what still runs comes to its end by itself. */
  leave(): void {
    this.#isLeft = true;
    for (const committed of this.#waiting) committed();
  }
}

/** One call inside its layers. A layer that did not let it run has given its result, and that ends here. */
async function* wrapped(reply: Reply, ready: ReadyCall, run: RunCall): StepEvents {
  const { call, tool } = ready;
  let ended = false;
  const core = async function* (): StageEvents<ToolResultBlock> {
    yield* run(reply, ready);
    return resultOf(reply, call);
  };
  const events = onion({
    where: 'onToolCall',
    layers: reply.stages?.layers<ToolCallInput, ToolResultBlock>('onToolCall') ?? [],
    input: { toolCall: call, tool },
    core,
    resultOf: () => resultOf(reply, call),
  });
  for await (const batch of events) {
    ended ||= batch.some((event) => event.source === undefined && event.type === 'TOOL_RESULT_END');
    yield batch;
  }
  if (!ended && !reply.waiting.has(call.id) && !reply.signal.aborted) yield [resultEnd(reply.replyId, call, { state: 'success', metadata: {} })];
}

function resultOf(reply: Reply, call: ToolUseBlock): ToolResultBlock {
  const found = reply.message().content.findLast((block): block is ToolResultBlock => block.type === 'tool_result' && block.id === call.id);
  return found ?? { type: 'tool_result', id: call.id, name: call.name, output: [], state: 'running', metadata: {} };
}

