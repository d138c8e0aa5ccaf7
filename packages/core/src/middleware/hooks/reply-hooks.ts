import type { AgentEvent, EventOf } from '../../event/index.ts';
import type { RunContext } from '../../hook/index.ts';
import { isObject } from '../../internal/index.ts';
import type { JsonObject } from '../../internal/index.ts';
import type { Msg } from '../../message/index.ts';
import { failureOf } from '../internal.ts';
import type { AgentInputs, Next } from '../middleware.ts';
import { asMessage, asMessages } from './check-change.ts';
import type { HookRunner } from './hook-runner.ts';
import { isChanged, lastAnswer, moreMetadata, sayAnew } from './rewrite.ts';

interface Reply {
  readonly input: AgentInputs;
  readonly next: Next<AgentInputs, Msg>;
  readonly ctx: RunContext;
}

/** PRE_CALL before a reply begins, POST_CALL when a run of it ends, ERROR when it fails. */
export async function* aroundReply(runner: HookRunner, { input, next, ctx }: Reply): AsyncGenerator<AgentEvent> {
  const messages = input.goesOn ? input.messages : (await runner.run('PRE_CALL', { inputMessages: input.messages }, { ctx, changeable: { inputMessages: asMessages } })).inputMessages;
  let failed = false;
  try {
    let result: EventOf<'AGENT_RESULT'> | undefined;
    for await (const event of next({ ...input, messages })) {
      if (event.source === undefined && event.type === 'AGENT_RESULT') result = event;
      else if (event.source === undefined && event.type === 'AGENT_END') {
        failed = event.error !== undefined;
        yield* failed || !result ? [...(result ? [result] : []), event] : await ended(runner, { result, end: event, ctx });
      } else yield event;
    }
  } catch (error) {
    await runner.run('ERROR', { error }, { ctx });
    throw error;
  }
  if (failed) await runner.run('ERROR', { error: failureOf(ctx) }, { ctx });
}

interface Ending {
  readonly result: EventOf<'AGENT_RESULT'>;
  readonly end: EventOf<'AGENT_END'>;
  readonly ctx: RunContext;
}

/** The end as the hooks leave it. */
async function ended(runner: HookRunner, { result, end, ctx }: Ending): Promise<readonly AgentEvent[]> {
  const given = asMessage(result.result);
  const call = given.content.findLast((block) => block.call !== undefined)?.call ?? 1;
  const asFinal = (value: unknown): Msg => checkFinal({ given, changed: asMessage(value), call, end });
  const { finalMessage } = await runner.run('POST_CALL', { finalMessage: given }, { ctx, changeable: { finalMessage: asFinal } });
  if (!isChanged(given, finalMessage)) return [result, end];
  const more = moreMetadata(given, finalMessage);
  const last = [withMore(result, more), withMore(end, more)];
  if (!isChanged(given.content, finalMessage.content)) return last;
  return [...sayAnew(lastAnswer(given, finalMessage, call), { replyId: ctx.replyId, call }), ...last];
}

interface Final {
  readonly given: Msg;
  readonly changed: Msg;
  readonly call: number;
  readonly end: EventOf<'AGENT_END'>;
}

function checkFinal({ given, changed, call, end: { generateReason = 'MODEL_STOP' } }: Final): Msg {
  if (!isChanged(given, changed)) return given;
  if (/ASKING|SUSPENDED|STOP_REQUESTED/.test(generateReason)) throw new TypeError('a reply that pauses cannot be changed at its end: it has none yet');
  const wrong = lastAnswer(given, changed, call).find(({ type }) => type !== 'text' && type !== 'thinking' && type !== 'data');
  if (wrong) throw new TypeError(`finalMessage may change what was said last, and a ${wrong.type} block is none of it`);
  return changed;
}

function withMore<E extends AgentEvent>(event: E, more: JsonObject): E {
  if (Object.keys(more).length === 0) return event;
  const before = event.metadata?.['msg'];
  return { ...event, metadata: { ...event.metadata, msg: { ...(isObject(before) ? before : {}), ...more } } };
}
