import { createEvent } from '../../event/index.ts';
import type { AgentEvent } from '../../event/index.ts';
import type { RunContext } from '../../hook/index.ts';
import { AssistantMessage } from '../../message/index.ts';
import type { ContentBlock, Msg } from '../../message/index.ts';
import type { Next, ReasoningInput } from '../middleware.ts';
import { asMessages, asOptions, asSaid } from './check-change.ts';
import type { HookRunner } from './hook-runner.ts';
import { isChanged, takeBack } from './rewrite.ts';
import { sayBlocks } from './say-blocks.ts';

interface Reasoning {
  readonly input: ReasoningInput;
  readonly next: Next<ReasoningInput, Msg>;
  readonly ctx: RunContext;
}

/** PRE_REASONING, chunks and POST_REASONING; around the summary at the limit PRE_SUMMARY, its chunks and POST_SUMMARY. */
export async function* aroundReasoning(runner: HookRunner, { input, next, ctx }: Reasoning): AsyncGenerator<AgentEvent> {
  const isSummary = input.purpose === 'summary';
  const events = next(isSummary ? await beforeSummary(runner, input, ctx) : await beforeReasoning(runner, input, ctx));
  const said = new Said(ctx.agent.name);
  for (;;) {
    const step = await events.next();
    if (step.done === true) return yield* after(runner, { message: step.value, isSummary, ctx });
    const chunk = said.take(step.value);
    yield step.value;
    if (!chunk) continue;
    if (isSummary) await runner.run('SUMMARY_CHUNK', { incrementalChunk: chunk }, { ctx });
    else await runner.run('REASONING_CHUNK', said.withAll(chunk), { ctx });
  }
}

async function beforeReasoning(runner: HookRunner, input: ReasoningInput, ctx: RunContext): Promise<ReasoningInput> {
  const fields = { modelName: input.modelName, inputMessages: input.messages, generateOptions: input.options };
  const { inputMessages, generateOptions } = await runner.run('PRE_REASONING', fields, { ctx, changeable: { inputMessages: asMessages, generateOptions: asOptions } });
  return { ...input, messages: inputMessages, options: generateOptions };
}

async function beforeSummary(runner: HookRunner, input: ReasoningInput, ctx: RunContext): Promise<ReasoningInput> {
  const { inputMessages } = await runner.run('PRE_SUMMARY', { inputMessages: input.messages }, { ctx, changeable: { inputMessages: asMessages } });
  return { ...input, messages: inputMessages };
}

interface After {
  readonly message: Msg;
  readonly isSummary: boolean;
  readonly ctx: RunContext;
}

/** What hooks change of an answer is said anew in its place, and a stop comes behind it. */
async function* after(runner: HookRunner, { message, isSummary, ctx }: After): AsyncGenerator<AgentEvent> {
  let stopped = false;
  const changed = isSummary
    ? (await runner.run('POST_SUMMARY', { summaryMessage: message }, { ctx, changeable: { summaryMessage: asSaid } })).summaryMessage
    : (await runner.run('POST_REASONING', { reasoningMessage: message, stopAgent: () => void (stopped = true) }, { ctx, changeable: { reasoningMessage: asSaid } })).reasoningMessage;
  const { replyId } = ctx;
  const call = message.content.find((block) => block.call !== undefined)?.call;
  if (isChanged(message.content, changed.content)) yield* [...takeBack({ replyId, call: call ?? 1 }), ...sayBlocks(changed.content, replyId)];
  if (stopped) yield createEvent('REQUEST_STOP', { replyId, reason: 'A hook asked for it.', generateReason: 'REASONING_STOP_REQUESTED' });
}

/** What a model call said so far. */
class Said {
  readonly #name: string;
  readonly #blocks: { readonly id: string; readonly type: 'text' | 'thinking'; text: string }[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  /** A message of one piece; undefined for an event that is none. */
  take(event: AgentEvent): Msg | undefined {
    if (event.type !== 'TEXT_BLOCK_DELTA' && event.type !== 'THINKING_BLOCK_DELTA') return undefined;
    const type = event.type === 'TEXT_BLOCK_DELTA' ? 'text' : 'thinking';
    const last = this.#blocks.at(-1);
    if (last?.id === event.blockId && last.type === type) last.text += event.delta;
    else this.#blocks.push({ id: event.blockId, type, text: event.delta });
    return this.#message([blockOf(type, event.delta)]);
  }

  /** The whole is put together when a hook looks at it. */
  withAll(incrementalChunk: Msg): { readonly incrementalChunk: Msg; readonly accumulated: Msg } {
    const whole = (): Msg => this.#message(this.#blocks.map(({ type, text }) => blockOf(type, text)));
    let made: Msg | undefined;
    return {
      incrementalChunk,
      get accumulated() {
        return (made ??= whole());
      },
    };
  }

  #message(content: readonly ContentBlock[]): Msg {
    return new AssistantMessage({ name: this.#name, content, timestamp: null });
  }
}

function blockOf(type: 'text' | 'thinking', text: string): ContentBlock {
  return type === 'text' ? { type, text } : { type, thinking: text };
}
