import { AgentScopeError } from '../error/index.ts';
import { createEvent } from '../event/index.ts';
import type { AgentEvent, Facts } from '../event/index.ts';
import type { JsonSchema } from '../internal/index.ts';
import { Msg, noteOutput, STRUCTURED_OUTPUT_KEY } from '../message/index.ts';
import type { ChatModel } from '../model/index.ts';
import { answerSchema } from './answer-schema.ts';
import type { AnswerSchema } from './answer-schema.ts';
import { ANSWER_TOOL } from './answer-tool.ts';
import type { Beginning } from './begin.ts';
import type { AgentConfig } from './config.ts';
import { pathsOf } from './judge.ts';
import { modelCall } from './model-call.ts';
import type { Reply, StepEvents } from './reply.ts';
import { StructuredOutput } from './structured-output.ts';
import { howTo, reminderOf } from './structured-words.ts';

/** The schema goes on record with AGENT_START. A call that goes on with a reply may bring it again, or another one: the newest counts. */
export function withSchema(beginning: Beginning, schema: AnswerSchema | undefined): Beginning {
  if (schema === undefined || beginning.kind === 'attach') return beginning;
  const start = (event: AgentEvent): AgentEvent => (event.type === 'AGENT_START' ? { ...event, metadata: { ...event.metadata, structured: { schema: schema.json } } } : event);
  return { ...beginning, events: beginning.events.map(start) };
}

interface Owed {
  readonly config: AgentConfig;
  readonly model: ChatModel;
  /** What the call brought. */
  readonly given: AnswerSchema | undefined;
  /** Of the reply it goes on with. */
  readonly facts: Facts | undefined;
}

/** What a reply owes: the schema of its call, else the one on record, of which only the JSON form is known. Undefined: an answer in words. */
export function structuredOutputOf({ config, model, given, facts }: Owed): StructuredOutput | undefined {
  const schema = given ?? (facts?.structured && answerSchema(facts.structured.schema as JsonSchema));
  return schema && new StructuredOutput({ schema, model, mode: config.structuredOutput });
}

/** Before anything is stored. @throws AgentScopeError `config/invalid` when the toolkit has a tool of the same name as ours. */
export function checkToolNames({ toolkit, structuredOutput }: AgentConfig): void {
  if (!toolkit.find(ANSWER_TOOL) || structuredOutput === 'native') return;
  throw new AgentScopeError('config/invalid', `The toolkit has a tool "${ANSWER_TOOL}", which is the name by which answers are given as data. Rename it, or use structuredOutput "native".`, {
    details: { option: 'toolkit' },
  });
}

/** A model call towards the answer. Where the model is only asked for JSON, it is told so once. */
export async function* reasonTowards(reply: Reply, structured: StructuredOutput): StepEvents {
  const rung = rungOf(reply, structured);
  if (rung === 'prompt') yield hintOnce(reply, howTo(rung, structured.schema.asked));
  yield* modelCall(reply, { purpose: 'reason' });
}

/** The answer did not fit: what is wrong with it goes back to the model, which may be asked another way. */
export async function* askAgain(reply: Reply, structured: StructuredOutput, problem: string): StepEvents {
  const reminders = (reply.facts().structured?.reminders ?? 0) + 1;
  const rung = structured.rung({ tools: reply.config.toolkit.getToolSchemas(), reminders });
  const { content } = reply.message();
  const hint = reminderOf(problem, rung, structured.schema.asked);
  const last = content.at(-1);
  if (last?.type !== 'hint' || last.hint !== hint) yield [hintEvent(reply, hint)];
  yield* modelCall(reply, { purpose: 'repair', cause: 'structured' });
}

/** What the model is told at the limit beside that it is reached. */
export function atTheLimit(reply: Reply): string {
  const { structured } = reply;
  if (!structured || rungOf(reply, structured) === 'native') return '';
  return ` ${howTo('prompt', structured.schema.asked)}`;
}

/**
 * The message of a call, which reads what the schema let through, also where that is no JSON (a Date). An object of its own: the message
 * that others read holds JSON only.
 */
export async function withOutput(msg: Msg, schema: AnswerSchema | undefined, output?: { readonly value: unknown }): Promise<Msg> {
  if (!msg.hasStructuredData() || !schema) return msg;
  const own = Msg.from({ ...msg });
  noteOutput(own, output ? output.value : await reread(msg.metadata[STRUCTURED_OUTPUT_KEY], schema));
  return own;
}

/** The data of a reply that had ended before. */
async function reread(stored: unknown, schema: AnswerSchema): Promise<unknown> {
  const checked = await schema.read(stored);
  if (checked.ok) return checked.output;
  throw new AgentScopeError('agent/structured-output-invalid', 'The reply answered another schema, and its data do not fit this one.', {
    details: { attempts: 0, paths: pathsOf(checked.issues), text: JSON.stringify(stored) },
  });
}

function rungOf(reply: Reply, structured: StructuredOutput) {
  return structured.rung({ tools: reply.config.toolkit.getToolSchemas(), reminders: reply.facts().structured?.reminders ?? 0 });
}

function hintOnce(reply: Reply, hint: string): AgentEvent[] {
  const isThere = reply.message().content.some((block) => block.type === 'hint' && typeof block.hint === 'string' && block.hint.endsWith(hint));
  return isThere ? [] : [hintEvent(reply, hint)];
}

/** A model call that was refused is made again under its number, with other words maybe: so ids count the hints too. */
function hintEvent(reply: Reply, hint: string): AgentEvent {
  const { replyId, epoch } = reply;
  const hints = reply.message().content.filter((block) => block.type === 'hint').length;
  return createEvent('HINT_BLOCK', { replyId, blockId: `s${epoch}.${reply.facts().calls + 1}.${hints + 1}`, hintSource: 'agentscope', hint });
}
