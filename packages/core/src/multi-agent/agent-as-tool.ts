import { BUDGET } from '../agent/index.ts';
import type { Agent } from '../agent/index.ts';
import { AgentScopeError } from '../error/index.ts';
import { sleep } from '../internal/index.ts';
import { UserMessage } from '../message/index.ts';
import type { ContentBlock, Msg } from '../message/index.ts';
import { INBOX_POLL_MS } from '../session/index.ts';
import { defineTool, toolResult } from '../tool/index.ts';
import type { Tool, ToolContext, ToolOutput } from '../tool/index.ts';

export interface AgentToolOptions {
  /** What the model calls it: 1 to 64 letters, digits, `_` or `-`. Default: the agent's name, which has to be such a name then. */
  readonly name?: string | undefined;
  /** What the model chooses it by. Default: the agent's description, or a sentence with its name. */
  readonly description?: string | undefined;
}

/**
 * An agent as a tool of another one: it gets a message and gives back its answer, the blocks behind its last tool call.
 *
 * Each call is a conversation of its own, in the agent's own store, under the caller's user. Its session id and the id of its message
 * are made from the caller's session and `ctx.idempotencyKey`, so the tool is `keyed`: run again after a crash it goes on with the reply
 * it began, or takes the one that has ended. While a process that was killed still holds the child's lease, it waits for that to run
 * out. No time limit of its own; an abort of the caller interrupts the child. The result's metadata says `{ child: { agent, userId?,
 * sessionId, replyId } }`.
 *
 * The caller's `limits` count for the child too: what it uses is taken out of them.
 *
 * A child that asks a person or waits for outside work gives an `error` result that says so: its questions and events are not shown
 * through the caller; `agent.session({ userId, sessionId })` has them.
 *
 * @throws AgentScopeError `config/invalid` for a name no provider takes
 */
export function agentAsTool(agent: Agent, { name = agent.name, description = describe(agent) }: AgentToolOptions = {}): Tool<string, { message: string }, ToolOutput> {
  return defineTool({
    name,
    description,
    input: INPUT,
    effect: 'keyed',
    timeoutMs: Infinity,
    execute: async ({ message }, ctx): Promise<ToolOutput> => answerOf(agent, await ask(agent, message, ctx), ctx),
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

/** The message is the same one each time, so the child takes it once and each further call belongs to the reply it began. */
async function ask(agent: Agent, message: string, { signal, userId, sessionId, idempotencyKey, context }: ToolContext): Promise<Msg> {
  const budget = context.find(BUDGET);
  const input = new UserMessage({ id: `${idempotencyKey}-message`, name: 'user', content: message });
  for (;;) {
    try {
      return await agent.call(input, { userId, sessionId: childSessionId({ sessionId, idempotencyKey }), signal, ...(budget ? { context: [BUDGET.of(budget)] } : {}) });
    } catch (error) {
      if (signal.aborted || !isHeldElsewhere(error)) throw error;
      await sleep(INBOX_POLL_MS, signal);
    }
  }
}

function childSessionId({ sessionId, idempotencyKey }: Pick<ToolContext, 'sessionId' | 'idempotencyKey'>): string {
  return `${sessionId}/${idempotencyKey}`;
}

/** Only the same call in another process writes that session: one that was killed, and its lease runs out, or one that will end it. */
function isHeldElsewhere(error: unknown): boolean {
  return AgentScopeError.is(error, 'session/conflict') || AgentScopeError.is(error, 'session/lease-lost');
}

const PAUSES: Readonly<Record<string, string>> = {
  PERMISSION_ASKING: 'waits for a person to allow a tool call',
  TOOL_SUSPENDED: 'waits for a tool that runs elsewhere',
  REASONING_STOP_REQUESTED: 'was stopped after a model call',
  ACTING_STOP_REQUESTED: 'was stopped after a tool call',
  MIDDLEWARE_STOP_REQUESTED: 'was stopped by a middleware',
};

function answerOf(agent: Agent, reply: Msg, context: ToolContext): ToolOutput {
  const { userId } = context;
  const metadata = { child: { agent: agent.name, ...(userId === undefined ? {} : { userId }), sessionId: childSessionId(context), replyId: reply.id } };
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
