import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { act } from './act.ts';
import { finish } from './finish.ts';
import { modelCall } from './model-call.ts';
import type { Step } from './next-step.ts';
import { pause } from './pause.ts';
import { reminderFor } from './reminders.ts';
import type { Reply, StepEvents } from './reply.ts';
import { askAgain, atTheLimit, reasonTowards } from './structured-run.ts';

/** The events of one step. */
export function takeStep(reply: Reply, step: Step): StepEvents {
  switch (step.kind) {
    case 'reason':
      return reply.structured ? reasonTowards(reply, reply.structured) : modelCall(reply, { purpose: 'reason' });
    case 'repair':
      return repair(reply, step);
    case 'summarise':
      return summarise(reply);
    case 'act':
      return act(reply, step.calls);
    case 'stop':
      return stop(reply, step.reason);
    case 'discard':
      return discard(reply, step.call);
    case 'pause':
      return pause(reply, step);
    case 'finish':
      return finish(reply, step);
  }
}

/** An answer the provider paused goes on without a word; an empty one gets a reminder first. */
async function* repair(reply: Reply, step: Extract<Step, { kind: 'repair' }>): StepEvents {
  if (step.cause === 'structured' && reply.structured) return yield* askAgain(reply, reply.structured, step.problem);
  if (step.cause === 'cut' || step.cause === 'structured') return yield* modelCall(reply, { purpose: 'reason' });
  yield hintUnlessThere(reply, reminderFor(step.cause));
  yield* modelCall(reply, { purpose: 'repair' });
}

/** The limit is said once, also when the summary is made again after a crash. */
async function* summarise(reply: Reply): StepEvents {
  const { replyId, config, facts } = { replyId: reply.replyId, config: reply.config, facts: reply.facts() };
  if (!facts.exceeded) yield [createEvent('EXCEED_MAX_ITERS', { replyId, maxIters: config.maxIters, currentIter: facts.iterations, name: config.name })];
  yield hintUnlessThere(reply, reminderFor('limit') + atTheLimit(reply));
  yield* modelCall(reply, { purpose: 'summary', toolChoice: 'none' });
}

/** A model call that a crash cut off: its blocks are taken back, and `nextStep` asks the model again (WIRE F24). */
async function* discard(reply: Reply, call: number): StepEvents {
  yield [createEvent('MODEL_CALL_END', { replyId: reply.replyId, metadata: { call, discarded: true } })];
}

/** A limit of the agent's: the reply pauses, and may go on with more. */
async function* stop({ replyId }: Reply, reason: string): StepEvents {
  yield [createEvent('REQUEST_STOP', { replyId, reason, generateReason: 'MIDDLEWARE_STOP_REQUESTED' })];
}

function hintUnlessThere(reply: Reply, hint: string): AgentEvent[] {
  const last = reply.message().content.at(-1);
  if (last?.type === 'hint' && last.hint === hint) return [];
  const blockId = `h${reply.epoch}.${reply.facts().calls + 1}`;
  return [createEvent('HINT_BLOCK', { replyId: reply.replyId, blockId, hintSource: 'agentscope', hint })];
}
