import type { Answer, ConfirmQuestion, Msg } from '@agentscope/core';
import type { TalkOptions } from './config/settings.ts';
import { isUnfinished, openConversation } from './conversation.ts';
import type { Surroundings } from './conversation.ts';
import { eventsView } from './events-view.ts';
import { EXIT } from './exit-codes.ts';
import { UsageError } from './flags.ts';
import { Lines } from './lines.ts';
import { printable } from './printable.ts';
import { askPerson } from './questions.ts';
import { runTurn } from './turn.ts';
import type { TurnOptions } from './turn.ts';
import { answerView } from './view.ts';
import type { Write } from './view.ts';

/** `-m` and `--continue`: one reply, then the end. */
export async function oneTurn(options: TalkOptions, surroundings: Surroundings): Promise<number> {
  const { output, notes } = surroundings;
  const message = options.message === '-' ? await everythingOnStdin() : options.message;
  const conversation = await openConversation(options, surroundings);
  const stop = stopper(surroundings, options.timeout);
  try {
    if (options.continue && !(await isUnfinished(conversation.session))) {
      notes.write(`agentscope: there is nothing to continue in the session "${options.session ?? ''}".\n`);
      return EXIT.done;
    }
    const write = (text: string): void => output.write(output.isTerminal ? printable(text) : text);
    const { view, onReply, atEnd } = shown(options, write);
    const code = await runTurn(conversation.session, message, { view, onReply, notes, signal: stop.signal, ask: (questions) => askOnce(questions, stop.interrupt) });
    atEnd();
    if (stop.isUnread) return EXIT.done;
    if (!stop.isLate) return code;
    notes.write(`agentscope: the reply took longer than ${options.timeout} s and was interrupted.\n`);
    return EXIT.late;
  } finally {
    stop.forget();
    await conversation.close();
  }
}

interface Shown extends Pick<TurnOptions, 'view' | 'onReply'> {
  atEnd(): void;
}

/** What is printed: the words of the answer as they come, its events, or the message at its end. A reply that goes on after a question is one message. */
function shown({ events, json }: TalkOptions, write: Write): Shown {
  const nothing = (): void => undefined;
  if (events) return { view: eventsView(write), onReply: undefined, atEnd: nothing };
  if (!json) return { view: answerView(write), onReply: undefined, atEnd: nothing };
  let last: Msg | undefined;
  return {
    view: { event: nothing, end: nothing },
    onReply: (msg) => void (last = msg),
    atEnd: () => last && write(`${JSON.stringify(last)}\n`),
  };
}

/** @throws UsageError when nothing is there */
async function everythingOnStdin(): Promise<string> {
  let text = '';
  for await (const piece of process.stdin.setEncoding('utf8')) text += String(piece);
  if (text.trim() === '') throw new UsageError('-m - says what stands on stdin, and nothing does.');
  return text.replace(/\n$/, '');
}

interface Stopper {
  readonly signal: AbortSignal;
  /** The reader of the output went away, which is a fine end (`| head -1`). */
  readonly isUnread: boolean;
  /** The time is up. */
  readonly isLate: boolean;
  interrupt(): void;
  forget(): void;
}

/** Ends the reply at the first Ctrl-C, when nobody reads it any more, or when its time is up; the second Ctrl-C ends the program at once. */
function stopper({ output }: Surroundings, timeoutSeconds: number | undefined): Stopper {
  const controller = new AbortController();
  let why: 'person' | 'reader' | 'time' | undefined;
  const stop = (because: typeof why): void => {
    why ??= because;
    controller.abort(new Error('interrupted'));
  };
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    stop('person');
  };
  output.onClosed = () => stop('reader');
  process.on('SIGINT', interrupt);
  const timer = timeoutSeconds === undefined ? undefined : setTimeout(() => stop('time'), Math.min(timeoutSeconds * 1_000, LONGEST_TIMER_MS));
  return {
    signal: controller.signal,
    get isUnread() {
      return why === 'reader';
    },
    get isLate() {
      return why === 'time';
    },
    interrupt,
    forget: () => {
      clearTimeout(timer);
      process.off('SIGINT', interrupt);
    },
  };
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

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
