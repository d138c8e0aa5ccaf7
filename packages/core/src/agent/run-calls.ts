import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import type { ContentBlock } from '../message/index.ts';
import type { ToolCustomEvent, ToolOutput } from '../tool/index.ts';
import { callerContext } from './caller.ts';
import { Channel } from './channel.ts';
import type { ReadyCall } from './decide.ts';
import { STOP_PATIENCE_MS } from './let-go.ts';
import { runWithin } from './reentry.ts';
import { resultDelta, resultEnd, resultStart } from './results.ts';
import type { Reply, StepEvents } from './reply.ts';
import { isShutDown } from './shut-down.ts';
import { runWrapped } from './run-wrapped.ts';
import { runContext } from './tool-context.ts';
import type { ToolRequests } from './tool-context.ts';
import { atMost } from './until-aborted.ts';

/** Runs calls in call order, neighbours that are safe beside each other together. The results of a group are opened before it starts. */
export async function* runCalls(reply: Reply, calls: readonly ReadyCall[]): StepEvents {
  for (const group of groups(calls, reply.config.toolkit.parallel)) {
    if (reply.signal.aborted) return;
    yield group.map(({ call, run }) => resultStart(reply.replyId, call, run));
    yield* runGroup(reply, group);
    if (group.some(({ call }) => reply.waiting.has(call.id))) return; // what stands behind may build on it
  }
}

function groups(calls: readonly ReadyCall[], parallel: boolean): readonly (readonly ReadyCall[])[] {
  const list: ReadyCall[][] = [];
  for (const call of calls) {
    const last = list.at(-1);
    // a group has one member that is not safe, or only safe ones: its newest speaks for all
    if (parallel && last && call.tool.concurrencySafe && last.at(-1)?.tool.concurrencySafe) last.push(call);
    else list.push([call]);
  }
  return list;
}

/** Output of all as it comes, each call ended as soon as it is done. */
async function* runGroup(reply: Reply, group: readonly ReadyCall[]): StepEvents {
  if (reply.stages?.has('onToolCall')) return yield* runWrapped(reply, group, runCall);
  const output = new Channel<Done | AgentEvent>(Infinity);
  let running = group.length;
  for (const ready of group) start(reply, ready, output);
  while (running > 0) {
    const events: AgentEvent[] = [];
    for (const item of (await output.take()) ?? []) {
      if ('type' in item) events.push(item);
      else {
        running--;
        events.push(...ended(reply, item));
      }
    }
    yield events;
  }
}

/** One call alone: what it says, and its end. */
async function* runCall(reply: Reply, ready: ReadyCall): StepEvents {
  const output = new Channel<Done | AgentEvent>(Infinity);
  start(reply, ready, output);
  for (;;) {
    for (const item of (await output.take()) ?? []) {
      yield 'type' in item ? [item] : [...ended(reply, item)];
      if (!('type' in item)) return;
    }
  }
}

interface Done {
  readonly ready: ReadyCall;
  readonly output: ToolOutput;
  readonly requests: ToolRequests;
}

function start(reply: Reply, ready: ReadyCall, output: Channel<Done | AgentEvent>): void {
  const { call, tool, input, key } = ready;
  const requests: ToolRequests = { state: new Map() };
  const context = runContext(reply, call, { key, requests });
  const tell = (event: AgentEvent): void => output.push([event]);
  const asked = tool.agent ? { ...context, context: callerContext(reply, { key, requests, show: tell }) } : context;
  const show = (piece: ContentBlock | ToolCustomEvent): void =>
    output.push([piece.type === 'CUSTOM' ? createEvent('CUSTOM', { replyId: reply.replyId, ...piece }) : resultDelta(reply.replyId, call, piece)]);
  const running = runWithin(reply.mark, () => tool.execute(input, asked, show));
  void running.then(async (result) => {
    if (requests.telling) await atMost(requests.telling, STOP_PATIENCE_MS);
    output.push([{ ready, output: result, requests }]);
  });
}

/**
 * What the tool set becomes part of the session with its result, in one append. A tool that a shutdown stopped has no result: its
 * intent stays, and whoever goes on does what its effect allows. Neither has one whose agent waits for somebody: it is asked again then.
 */
function ended(reply: Reply, { ready: { call }, output, requests }: Done): readonly AgentEvent[] {
  const { replyId, signal } = reply;
  if (output.state === 'interrupted' && isShutDown(signal.reason)) return [];
  if (requests.waitsFor && output.state === 'success') {
    reply.waiting.set(call.id, requests.waitsFor);
    return [];
  }
  for (const [name, value] of requests.state) reply.stage(name, value, call.id);
  const events = output.content.map((block) => resultDelta(replyId, call, block));
  events.push(resultEnd(replyId, call, output));
  if (requests.stop) events.push(createEvent('REQUEST_STOP', { replyId, ...requests.stop }));
  return events;
}
