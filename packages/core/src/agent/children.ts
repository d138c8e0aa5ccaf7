import type { ToolUseBlock } from '../message/index.ts';
import { fullKey, joinedSource } from '../session/index.ts';
import type { FullSessionKey } from '../session/index.ts';
import type { AgentConfig } from './config.ts';
import { coreOf } from './cores.ts';
import type { Core } from './cores.ts';
import { callKey } from './decide.ts';
import { openCalls } from './next-step.ts';
import type { OpenReply, PendingQuestion } from './questions.ts';
import { wasStarted } from './recover.ts';

/** An agent at work for a reply, asked by one of its calls. */
export interface ChildAtWork {
  readonly call: ToolUseBlock;
  readonly core: Core;
  readonly key: FullSessionKey;
  readonly source: string;
}

/** The conversation a call is for the agent it asks: its own, made of the call's key, so that the same call again goes on with it. */
export function childKey({ userId, sessionId }: FullSessionKey, idempotencyKey: string): FullSessionKey {
  return fullKey({ userId, sessionId: `${sessionId}/${idempotencyKey}` });
}

/** What is behind an agent that another one asks: in its own store, or in the caller's where nobody gave it one. */
export function coreFor(agent: object, store: AgentConfig['session']): Core | undefined {
  return coreOf(agent)?.livingIn(store);
}

/** The agents that a reply asked and that have given no answer yet. */
export async function childrenOf(config: AgentConfig, key: FullSessionKey, { message }: OpenReply): Promise<readonly ChildAtWork[]> {
  const started = openCalls(message.content).filter(({ id }) => wasStarted(message.content, id));
  if (started.length === 0) return [];
  await config.toolkit.load();
  const found = await Promise.all(started.map((call) => childOf(config, call, { key, message })));
  return found.filter((child) => child !== undefined);
}

async function childOf({ toolkit, session }: AgentConfig, call: ToolUseBlock, { key, message }: { key: FullSessionKey; message: OpenReply['message'] }): Promise<ChildAtWork | undefined> {
  const { tool } = toolkit.lookup(call.name);
  const core = tool?.agent && coreFor(tool.agent, session);
  if (!tool || !core) return undefined;
  return { call, core, key: childKey(key, await callKey({ key, message, call, tool })), source: `${key.sessionId}/${core.config.id}` };
}

/** What the children of a reply ask, and theirs, each with its path. */
export async function childQuestions(config: AgentConfig, key: FullSessionKey, open: OpenReply): Promise<readonly PendingQuestion[]> {
  const asked = await Promise.all(
    (await childrenOf(config, key, open)).map(async (child) => {
      const questions = await child.core.pending(child.key);
      return questions.map((question) => ({ ...question, source: question.source === undefined ? child.source : joinedSource(child.source, child.key, question.source) }));
    }),
  );
  return asked.flat();
}
