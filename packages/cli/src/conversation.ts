import { resolve } from 'node:path';
import { ReActAgent } from '@agentscope/core';
import type { AgentSession, AnyTool, Session } from '@agentscope/core';
import type { CliOptions } from './args.ts';
import { findModelId } from './find-model.ts';
import { UsageError } from './flags.ts';
import { openModel } from './model.ts';
import type { Output } from './output.ts';
import { printable } from './printable.ts';
import { openStore } from './store.ts';
import { TOOLS } from './tools.ts';

/** What a way of talking (a chat, one turn) is given beside the options. */
export interface Surroundings {
  /** What the person or program reads: answers, events. */
  readonly output: Output;
  /** What is said about it: problems, questions. */
  readonly notes: Output;
  /** Tools beside the built-in ones. */
  readonly tools: readonly AnyTool[];
}

/** The agent's conversation the options ask for. */
export interface Conversation {
  readonly session: AgentSession;
  readonly modelId: string;
  /** Folder the sessions are in; undefined: it lives in memory. */
  readonly folder: string | undefined;
  close(): Promise<void>;
}

const NAME = 'Friday';
const SYSTEM_PROMPT =
  'You are Friday, a helpful assistant in a terminal. Use the calculator for arithmetic and the clock for dates and times. Answer briefly, in plain text.';

/**
 * @throws AgentScopeError `config/invalid` for an unknown model; nothing of the session is touched then
 * @throws UsageError where a session shall be continued that is not there
 */
export async function openConversation(options: CliOptions, { notes, tools }: Surroundings): Promise<Conversation> {
  const modelId = await findModelId(options.model, process.env);
  const model = await openModel(modelId);
  const folder = options.session === undefined ? undefined : resolve(options.store);
  const store = folder === undefined ? undefined : await openStore(folder, notes);
  if (options.continue && options.session !== undefined && !(await store?.exists({ sessionId: options.session }))) {
    await store?.close();
    throw new UsageError(`There is no session ${JSON.stringify(options.session)} in ${options.store}, so nothing to continue.`);
  }
  const agent = new ReActAgent({ name: NAME, sysPrompt: SYSTEM_PROMPT, model, toolkit: [...TOOLS, ...tools], session: store, permission: { mode: options.mode, allow: options.allow }, onWarning: (message) => notes.write(`agentscope: ${printable(message)}\n`) });
  return { session: agent.session({ sessionId: options.session }), modelId, folder, close: async () => store?.close() };
}

/** The agent over a store that is only read, and branched: it has neither model nor tools, and is not to be called. */
export function silentAgent(store: Session): ReActAgent {
  return new ReActAgent({ name: NAME, model: 'offline:demo', session: store });
}

/** Whether going on without new input has something to do: a reply that was cut off or waits, or a message nobody answered. */
export async function isUnfinished(session: AgentSession): Promise<boolean> {
  return (await session.openReply()) !== undefined || (await session.messages()).at(-1)?.role === 'USER';
}
