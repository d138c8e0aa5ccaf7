import { BUDGET, CALLER, childKey, coreFor } from '../agent/index.ts';
import type { Agent } from '../agent/index.ts';
import { AgentScopeError } from '../error/index.ts';
import { sleep } from '../internal/index.ts';
import { UserMessage } from '../message/index.ts';
import type { ContentBlock, Msg } from '../message/index.ts';
import { INBOX_POLL_MS } from '../session/index.ts';
import { defineTool, toolResult } from '../tool/index.ts';
import type { Tool, ToolContext, ToolOutput } from '../tool/index.ts';
import { whileTelling } from './tell-child.ts';

export interface AgentToolOptions {
  /** What the model calls it: 1 to 64 letters, digits, `_` or `-`. Default: the agent's name, which has to be such a name then. */
  readonly name?: string | undefined;
  /** What the model chooses it by. Default: the agent's description, or a sentence with its name. */
  readonly description?: string | undefined;
  /** Shows the agent's events in the stream of the reply that asks it, with its path as `source`. Default true. */
  readonly forwardEvents?: boolean | undefined;
  /** Several may be asked at once by one turn of the model. Default true. */
  readonly concurrencySafe?: boolean | undefined;
}

/**
 * An agent as a tool of another one: it gets a message and gives back its answer, the blocks behind its last tool call.
 *
 * Each call is a conversation of its own, under the caller's user: in the agent's own store, or in the caller's where the agent was given
 * none. Its session id and the id of its message
 * are made from the caller's session and `ctx.idempotencyKey`, so the tool is `keyed`: run again after a crash it goes on with the reply
 * it began, or takes the one that has ended. While a process that was killed still holds the child's lease, it waits for that to run
 * out. No time limit of its own; an abort of the caller interrupts the child. The result's metadata says `{ child: { agent, userId?,
 * sessionId, replyId } }`.
 *
 * The caller's `limits` count for the child too: what it uses is taken out of them.
 *
 * What the child does is shown in the caller's stream, with its path in `source` and `metadata.taskId`; it is stored once, in the
 * child's session. Its questions are the caller's: when it asks a person or waits for outside work, the caller's reply pauses,
 * `session.pending()` lists the question with its path, and the answer is given to the caller like one to a question of its own. The
 * child then goes on; nothing that has ended runs again.
 *
 * @throws AgentScopeError `config/invalid` for a name no provider takes
 */
export function agentAsTool(agent: Agent, options: AgentToolOptions = {}): Tool<string, { message: string }, ToolOutput> {
  const { name = agent.name, description = describe(agent), concurrencySafe = true } = options;
  return defineTool({
    name,
    description,
    input: INPUT,
    effect: 'keyed',
    timeoutMs: Infinity,
    concurrencySafe,
    agent,
    execute: async ({ message }, ctx): Promise<ToolOutput> => {
      const reply = await ask(agent, message, { ctx, options });
      return waits(agent, reply, ctx) ? toolResult('') : answerOf(agent, reply, ctx);
    },
  });
}

const INPUT = {
  type: 'object',
  properties: { message: { type: 'string', description: 'What to ask of it or to tell it. It sees nothing else of this conversation.' } },
  required: ['message'],
  additionalProperties: false,
} as const;

/** `description` is no part of the contract; most agents have one. */
function describe(agent: Agent & { readonly description?: unknown }): string {
  const { name, description } = agent;
  return typeof description === 'string' && description !== '' ? description : `Asks the agent "${name}" and gives back its answer.`;
}

/** A child that waits for somebody lets its caller wait, where that one can show what is asked. */
function waits(agent: Agent, { generateReason }: Msg, { context }: ToolContext): boolean {
  const caller = context.find(CALLER);
  if (!caller || !coreFor(agent, caller.store) || (generateReason !== 'PERMISSION_ASKING' && generateReason !== 'TOOL_SUSPENDED')) return false;
  caller.wait(generateReason);
  return true;
}

interface Asking {
  readonly ctx: ToolContext;
  readonly options: AgentToolOptions;
}

/** In the caller's store where the agent has none of its own, and shown in the caller's stream. */
function ask(agent: Agent, message: string, { ctx, options: { forwardEvents = true } }: Asking): Promise<Msg> {
  const caller = ctx.context.find(CALLER);
  const core = caller && coreFor(agent, caller.store);
  if (!core) return callOnce(agent, message, ctx);
  const session = core.session(childKey(ctx, ctx.idempotencyKey));
  const work = (): Promise<Msg> => callOnce(session, message, ctx);
  return forwardEvents ? whileTelling({ session, store: core.config.session, caller }, work) : work();
}

/** The message is the same one each time, so the child takes it once and each further call belongs to the reply it began. */
async function callOnce(agent: Agent, message: string, { signal, userId, sessionId, idempotencyKey, context }: ToolContext): Promise<Msg> {
  const budget = context.find(BUDGET);
  const input = new UserMessage({ id: `${idempotencyKey}-message`, name: 'user', content: message });
  const options = { ...childKey({ userId, sessionId }, idempotencyKey), signal, ...(budget ? { context: [BUDGET.of(budget)] } : {}) };
  for (;;) {
    try {
      return await agent.call(input, options);
    } catch (error) {
      if (signal.aborted || !isHeldElsewhere(error)) throw error;
      await sleep(INBOX_POLL_MS, signal);
    }
  }
}

/** Only the same call in another process writes that session: one that was killed, and its lease runs out, or one that will end it. */
function isHeldElsewhere(error: unknown): boolean {
  return AgentScopeError.is(error, 'session/conflict') || AgentScopeError.is(error, 'session/lease-lost');
}

const PAUSES: Readonly<Record<string, string>> = {
  PERMISSION_ASKING: 'waits for a person to allow a tool call', // also where the caller cannot show what is asked
  TOOL_SUSPENDED: 'waits for a tool that runs elsewhere',
  REASONING_STOP_REQUESTED: 'was stopped after a model call',
  ACTING_STOP_REQUESTED: 'was stopped after a tool call',
  MIDDLEWARE_STOP_REQUESTED: 'was stopped by a middleware',
};

function answerOf(agent: Agent, reply: Msg, context: ToolContext): ToolOutput {
  const { userId } = context;
  const metadata = { child: { agent: agent.name, ...(userId === undefined ? {} : { userId }), sessionId: childKey(context, context.idempotencyKey).sessionId, replyId: reply.id } };
  const reason = reply.generateReason ?? 'MODEL_STOP';
  const why = PAUSES[reason];
  if (why !== undefined) return toolResult(`The agent "${agent.name}" ${why} (${reason}) and has no answer yet. Nobody can answer it from here.`, { state: 'error', metadata });
  const said = lastWords(reply.content);
  if (reason !== 'INTERRUPTED') return toolResult(said.length === 0 ? `The agent "${agent.name}" ended without words.` : said, { metadata });
  return toolResult([...said, `\nThe agent "${agent.name}" was interrupted before it had an answer.`], { state: 'error', metadata });
}

/** Text and media behind the last tool call; where it ended with one, all it said. */
function lastWords(content: readonly ContentBlock[]): readonly ContentBlock[] {
  const last = content.findLastIndex((block) => block.type === 'tool_use' || block.type === 'tool_result');
  const words = content.slice(last + 1).flatMap(plain);
  return words.length > 0 ? words : content.flatMap(plain);
}

/** Without what ties a block to its place in the child's reply. */
function plain(block: ContentBlock): readonly ContentBlock[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  return block.type === 'data' ? [{ type: 'data', source: block.source, ...(block.name === undefined ? {} : { name: block.name }) }] : [];
}
