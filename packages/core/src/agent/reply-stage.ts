import { canonicalJson } from '../internal/index.ts';
import type { JsonValue } from '../internal/index.ts';
import { Msg } from '../message/index.ts';
import { inScopes, onion } from '../middleware/index.ts';
import type { AgentInputs, StageEvents } from '../middleware/index.ts';
import type { Journal } from '../session/index.ts';
import type { ActiveReply } from './active-reply.ts';
import { patient } from './patient.ts';
import { eventsOf } from './reply.ts';
import type { StepEvents } from './reply.ts';

/** Name of the value that says which reply's input was changed last: once for a reply, also after a crash. */
const EDITED = 'agentscope:input-edit';

/** A run of a reply with the agent's middleware around it. */
export function aroundReply(journal: Journal, reply: ActiveReply, steps: () => StepEvents): StepEvents {
  const { stages } = reply;
  if (!stages?.has('onAgent')) return steps();
  const goesOn = reply.facts().calls > 0 || journal.state(EDITED) === reply.replyId;
  if (!stages.mayChange('onAgent')) return inScopes(steps(), stages.begin<AgentInputs, void>('onAgent', lookedAt(journal, reply, goesOn)));
  const given = inputsOf(journal, reply);
  const layers = stages.layers<AgentInputs, Msg>('onAgent');
  const core = async function* ({ messages }: AgentInputs): StageEvents<Msg> {
    if (!goesOn && isChanged(given, messages)) await editInput(journal, reply, { given, messages });
    yield* steps();
    return reply.message();
  };
  return eventsOf(patient(onion({ where: 'onAgent', layers, input: { messages: given, goesOn }, core, resultOf: () => reply.message() }), reply.signal));
}

/** The input for those who only look. The messages are found for who reads them. */
function lookedAt(journal: Journal, reply: ActiveReply, goesOn: boolean): AgentInputs {
  return {
    get messages(): readonly Msg[] {
      return inputsOf(journal, reply);
    },
    goesOn,
  };
}

/** What the reply answers, as it stands in the context. */
function inputsOf(journal: Journal, reply: ActiveReply): readonly Msg[] {
  const ids = new Set(reply.facts().inputIds);
  return journal.context().filter(({ id }) => ids.has(id));
}

function isChanged(before: readonly Msg[], after: readonly Msg[]): boolean {
  return before !== after && textOf(before) !== textOf(after);
}

function textOf(messages: readonly Msg[]): string {
  return canonicalJson(JSON.parse(JSON.stringify(messages)) as JsonValue);
}

/** The record keeps what was given; the context, and a memory there may be, have the change. Durable with the first model call. */
async function editInput(journal: Journal, { config, key, replyId }: ActiveReply, { given, messages }: { readonly given: readonly Msg[]; readonly messages: readonly Msg[] }): Promise<void> {
  journal.edit({ op: 'input-edit', replyId, messages });
  journal.set(EDITED, replyId);
  const memory = config.memories?.of(key).memory;
  if (!memory) return;
  const ids = new Set(given.map(({ id }) => id));
  const held = await memory.getMessages();
  for (let i = held.length - 1; i >= 0; i--) if (ids.has(held[i]?.id ?? '')) await memory.deleteMessage(i);
  for (const msg of messages) await memory.addMessage(Msg.from(msg));
}

