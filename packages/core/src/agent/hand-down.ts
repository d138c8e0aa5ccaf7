import { AgentScopeError } from '../error/index.ts';
import type { FullSessionKey } from '../session/index.ts';
import { acceptAnswers } from './accept-answers.ts';
import type { Answer } from './agent.ts';
import { childrenOf } from './children.ts';
import type { AgentConfig } from './config.ts';
import { post } from './elsewhere.ts';
import { answerItem } from './mail.ts';
import type { OpenReply } from './questions.ts';

/** What became of answers that a reply was given. */
export interface HandedDown {
  /** For the reply itself, or for nobody: whoever takes them says so. */
  readonly own: readonly Answer[];
  /** Calls whose agents, or theirs, were given the others. */
  readonly calls: readonly string[];
}

/**
 * Answers to what the agents asked that a reply has at work go into the inbox of the session that asked: there they are accepted when
 * the call is made again, and there they survive a crash before it.
 */
export async function handDown(config: AgentConfig, key: FullSessionKey, { open, answers }: { readonly open: OpenReply | undefined; readonly answers: readonly Answer[] }): Promise<HandedDown> {
  const own: Answer[] = [];
  const calls: string[] = [];
  for (const answer of answers) {
    const call = open && !isAnswerTo(open, answer) ? await giveToChild(config, key, { open, answer }) : undefined;
    if (call === undefined) own.push(answer);
    else calls.push(call);
  }
  return { own, calls };
}

/** The call whose agent, or one that it asked, takes the answer. */
async function giveToChild(config: AgentConfig, key: FullSessionKey, { open, answer }: { readonly open: OpenReply; readonly answer: Answer }): Promise<string | undefined> {
  for (const { call, core, key: child } of await childrenOf(config, key, open)) {
    const asked = (await core.read(child)).openReply();
    if (asked === undefined) continue;
    if (isAnswerTo(asked, answer)) await post(core.config, child, answerItem(answer, config.clock));
    else if ((await giveToChild(core.config, child, { open: asked, answer })) === undefined) continue;
    return call.id;
  }
  return undefined;
}

function isAnswerTo(open: OpenReply, answer: Answer): boolean {
  try {
    acceptAnswers(open, [answer]);
    return true;
  } catch (error) {
    if (AgentScopeError.is(error)) return false;
    throw error;
  }
}
