import type { AgentInput, AgentSession, Answer, ConfirmQuestion, Msg } from '@agentscope/core';
import { EXIT } from './exit-codes.ts';
import type { Writer } from './output.ts';
import type { View } from './view.ts';

export interface TurnOptions {
  readonly view: View;
  readonly notes: Writer;
  /** Aborted by Ctrl-C, or when nobody reads any more. */
  readonly signal: AbortSignal;
  /** Told of the reply once it has ended or waits. */
  readonly onReply?: ((msg: Msg) => void) | undefined;
  /** Asks a person; nothing comes back when there is nobody (or nobody answers). */
  ask(questions: readonly ConfirmQuestion[]): Promise<readonly Answer[] | undefined>;
}

/**
 * One reply to its end, with the questions it asks on the way. Gives the exit code: done, stopped, waiting or interrupted.
 *
 * @throws what the reply failed with
 */
export async function runTurn(session: AgentSession, input: AgentInput, options: TurnOptions): Promise<number> {
  let said = input;
  for (;;) {
    const ended = await runReply(session, said, options);
    if (ended !== 'asking') return ended;
    const questions = await session.pending('confirm');
    const answers = questions.length === 0 ? undefined : await options.ask(questions);
    if (answers === undefined) return await waiting(session, options);
    said = answers;
  }
}

async function runReply(session: AgentSession, input: AgentInput, { view, signal, onReply }: TurnOptions): Promise<number | 'asking'> {
  const stream = session.streamEvents(input, { signal });
  try {
    for await (const event of stream) view.event(event);
    const msg = await stream.result;
    onReply?.(msg);
    return codeOf(msg.generateReason);
  } catch (error) {
    if (signal.aborted && error === signal.reason) return EXIT.interrupted;
    throw error;
  } finally {
    view.end();
  }
}

function codeOf(reason: string): number | 'asking' {
  if (reason === 'PERMISSION_ASKING' || reason === 'TOOL_SUSPENDED') return 'asking';
  if (reason === 'INTERRUPTED') return EXIT.interrupted;
  return reason === 'MAX_ITERATIONS' || reason === 'ALL_TOOLS_DENIED' || reason.endsWith('_STOP_REQUESTED') ? EXIT.stopped : EXIT.done;
}

async function waiting(session: AgentSession, { notes, signal }: TurnOptions): Promise<number> {
  if (signal.aborted) return EXIT.interrupted;
  for (const { kind, toolCall } of await session.pending()) {
    const what = kind === 'confirm' ? 'waits for a yes or no of a person' : 'waits for a result from elsewhere';
    notes.write(`agentscope: ${toolCall.name} ${what}.\n`);
  }
  return EXIT.waiting;
}
