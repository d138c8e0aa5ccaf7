import type { Answer, ConfirmQuestion } from '@agentscope/core';
import type { CliOptions } from './args.ts';
import { isUnfinished, openConversation } from './conversation.ts';
import type { Surroundings } from './conversation.ts';
import { eventsView } from './events-view.ts';
import { EXIT } from './exit-codes.ts';
import { Lines } from './lines.ts';
import { printable } from './printable.ts';
import { askPerson } from './questions.ts';
import { runTurn } from './turn.ts';
import { answerView } from './view.ts';

/** `-m` and `--continue`: one reply, then the end. */
export async function oneTurn(options: CliOptions, surroundings: Surroundings): Promise<number> {
  const { output, notes } = surroundings;
  const conversation = await openConversation(options, surroundings);
  const stop = stopper(surroundings);
  try {
    if (options.continue && !(await isUnfinished(conversation.session))) {
      notes.write(`agentscope: there is nothing to continue in the session "${options.session ?? ''}".\n`);
      return EXIT.done;
    }
    const write = (text: string): void => output.write(output.isTerminal ? printable(text) : text);
    const view = options.events ? eventsView(write) : answerView(write);
    const code = await runTurn(conversation.session, options.message, { view, notes, signal: stop.signal, ask: (questions) => askOnce(questions, stop.interrupt) });
    return stop.isUnread ? EXIT.done : code;
  } finally {
    stop.forget();
    await conversation.close();
  }
}

interface Stopper {
  readonly signal: AbortSignal;
  /** The reader of the output went away, which is a fine end (`| head -1`). */
  readonly isUnread: boolean;
  interrupt(): void;
  forget(): void;
}

/** Ends the reply at the first Ctrl-C, or when nobody reads it any more; the second Ctrl-C ends the program at once. */
function stopper({ output }: Surroundings): Stopper {
  const controller = new AbortController();
  let isUnread = false;
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort(new Error('interrupted'));
  };
  output.onClosed = () => {
    isUnread = true;
    controller.abort(new Error('nobody reads the output'));
  };
  process.on('SIGINT', interrupt);
  return {
    signal: controller.signal,
    get isUnread() {
      return isUnread;
    },
    interrupt,
    forget: () => process.off('SIGINT', interrupt),
  };
}

/** Questions go to stderr, so that stdout holds the answer alone. */
async function askOnce(questions: readonly ConfirmQuestion[], onInterrupt: () => void): Promise<readonly Answer[] | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const lines = new Lines({
    input: process.stdin,
    output: process.stderr,
    onInterrupt: () => {
      onInterrupt();
      lines.close();
    },
  });
  try {
    return await askPerson(questions, (prompt) => lines.next(prompt));
  } finally {
    lines.close();
  }
}
