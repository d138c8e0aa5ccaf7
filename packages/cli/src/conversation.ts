import { resolve } from 'node:path';
import { ReActAgent } from '@agentscope/core';
import type { AgentSession, AnyTool, ForkPoint, Session } from '@agentscope/core';
import type { TalkOptions } from './config/settings.ts';
import { DEFAULT_AGENT } from './config/settings.ts';
import { UsageError } from './flags.ts';
import { openModel } from './model.ts';
import type { Output, Writer } from './output.ts';
import { printable } from './printable.ts';
import { openStore } from './store.ts';
import { TOOLS } from './tools/tools.ts';

/** What a way of talking (a chat, one turn) is given beside the options. */
export interface Surroundings {
  /** What the person or program reads: answers, events. */
  readonly output: Output;
  /** What is said about it: problems, questions. */
  readonly notes: Writer;
  /** Tools beside the built-in ones. */
  readonly tools: readonly AnyTool[];
}

const SYSTEM_PROMPT =
  'You are Friday, a helpful assistant in a terminal. Use the calculator for arithmetic, the clock for dates and times, and the other tools for files, web pages and notes. Answer briefly.';

/** An agent and the conversation it is in. Both may change while it goes on: another model, a branch. */
export class Conversation {
  #agent: ReActAgent;
  #session: AgentSession;
  #modelId: string;
  readonly tools: readonly AnyTool[];
  /** Folder the sessions are in; undefined: they live in memory. */
  readonly folder: string | undefined;
  readonly #store: Session | undefined;

  constructor({ agent, sessionId, modelId, tools, folder, store }: { agent: ReActAgent; sessionId: string | undefined; modelId: string; tools: readonly AnyTool[]; folder: string | undefined; store: Session | undefined }) {
    this.#agent = agent;
    this.#session = agent.session({ sessionId });
    this.#modelId = modelId;
    this.tools = tools;
    this.folder = folder;
    this.#store = store;
  }

  get session(): AgentSession {
    return this.#session;
  }
  get modelId(): string {
    return this.#modelId;
  }

  /** @throws AgentScopeError `config/invalid` for an unknown model; the one before stays then */
  async changeModel(id: string): Promise<void> {
    const model = await openModel(id);
    this.#agent = this.#agent.with({ model });
    this.#modelId = id;
    this.goTo(this.#session.sessionId);
  }
  /** Goes on in another session of the same store. */
  goTo(sessionId: string): void {
    this.#session = this.#agent.session({ sessionId });
  }
  /** An agent with the model of this conversation and nothing else: no tools, no store. */
  helper(sysPrompt: string): ReActAgent {
    return new ReActAgent({ name: 'helper', model: this.#modelId, sysPrompt });
  }
  /** Goes on in a branch; the session it comes from stays as it is. */
  async fork(at?: ForkPoint, sessionId?: string): Promise<void> {
    this.goTo((await this.#session.fork(at, { sessionId })).sessionId);
  }
  async has(sessionId: string): Promise<boolean> {
    return (await this.#store?.exists({ sessionId })) ?? false;
  }
  async close(): Promise<void> {
    await this.#store?.close();
  }
}

/**
 * The agent's conversation the options ask for.
 *
 * @throws AgentScopeError `config/invalid` for an unknown model; nothing of the session is touched then
 * @throws UsageError where a session shall be continued that is not there
 */
export async function openConversation(options: TalkOptions, { notes, tools: more }: Surroundings): Promise<Conversation> {
  const { model: modelId, agent: name } = options;
  const model = await openModel(modelId);
  const folder = options.session === undefined ? undefined : resolve(options.store);
  const store = folder === undefined ? undefined : await openStore(folder, notes);
  if (options.continue && options.session !== undefined && !(await store?.exists({ sessionId: options.session }))) {
    await store?.close();
    throw new UsageError(`There is no session ${JSON.stringify(options.session)} in ${options.store}, so nothing to continue.`);
  }
  const tools = [...(options.ownTools ?? TOOLS), ...more];
  const agent = new ReActAgent({ name, sysPrompt: options.sysPrompt ?? SYSTEM_PROMPT, model, toolkit: tools, session: store, maxIters: options.maxIters, permission: { mode: options.mode, allow: options.allow }, onWarning: (message) => notes.write(`agentscope: ${printable(message)}\n`) });
  return new Conversation({ agent, sessionId: options.session, modelId, tools, folder, store });
}

/** The agent over a store that is only read, and branched: it has neither model nor tools, and is not to be called. */
export function silentAgent(store: Session): ReActAgent {
  return new ReActAgent({ name: DEFAULT_AGENT, model: 'offline:demo', session: store });
}

/** Whether going on without new input has something to do: a reply that was cut off or waits, or a message nobody answered. */
export async function isUnfinished(session: AgentSession): Promise<boolean> {
  return (await session.openReply()) !== undefined || (await session.messages()).at(-1)?.role === 'USER';
}
