import type { AgentInput } from '@agentscope/core';
import { withAttachments } from './attachments.ts';
import { chatView } from './chat-view.ts';
import { isCommand, runCommand } from './commands.ts';
import type { AtWork } from './compact.ts';
import type { TalkOptions } from './config/settings.ts';
import { isUnfinished, openConversation } from './conversation.ts';
import type { Conversation, Surroundings } from './conversation.ts';
import { EXIT } from './exit-codes.ts';
import { Lines } from './lines.ts';
import { explain, exitCodeOf } from './messages.ts';
import type { Writer } from './output.ts';
import { askPerson } from './questions.ts';
import { runTurn } from './turn.ts';

/** A conversation until input ends, `/exit`, or Ctrl-C at the prompt: on a screen where there is one, else line by line. */
export async function chat(options: TalkOptions, surroundings: Surroundings): Promise<number> {
  let notes: Writer = surroundings.notes;
  const conversation = await openConversation(options, { ...surroundings, notes: { write: (text) => notes.write(text) } });
  const room = hasScreen(options) ? new (await import('./screen/room.ts')).ScreenRoom(options, conversation, surroundings) : new ChatRoom(options, conversation, surroundings);
  if ('notes' in room) ({ notes } = room);
  try {
    return await room.run();
  } finally {
    room.close();
    await conversation.close();
  }
}

/** A terminal that can be painted, and a person who wants that. */
function hasScreen({ plain }: TalkOptions): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && !plain && process.env['TERM'] !== 'dumb';
}

class ChatRoom {
  readonly #options: TalkOptions;
  readonly #conversation: Conversation;
  readonly #surroundings: Surroundings;
  readonly #lines: Lines;
  readonly #onInterrupt = (): void => this.#interrupt();
  #isLeaving = false;
  /** The reader of the output went away, which is a fine end (`| head -1`). */
  #isUnread = false;
  /** The reply that runs. */
  #running: AbortController | undefined;

  constructor(options: TalkOptions, conversation: Conversation, surroundings: Surroundings) {
    this.#options = options;
    this.#conversation = conversation;
    this.#surroundings = surroundings;
    this.#lines = new Lines({ input: process.stdin, output: process.stdout, onInterrupt: this.#onInterrupt });
    process.on('SIGINT', this.#onInterrupt);
    surroundings.output.onClosed = () => {
      this.#isUnread = true;
      this.#running?.abort(new Error('nobody reads the output'));
      this.#lines.close();
    };
  }

  async run(): Promise<number> {
    if (this.#lines.isTerminal) await this.#greet();
    for (;;) {
      // Signals and the news that nobody reads any more come between two lines, however fast these are.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#isUnread) return EXIT.done;
      const line = (await this.#lines.next('> '))?.trim();
      // In a terminal Ctrl-C at the prompt is the usual way out.
      if (line === undefined) return this.#isLeaving && !this.#lines.isTerminal ? EXIT.interrupted : EXIT.done;
      if (line === '/exit') return EXIT.done;
      if (line === '') continue;
      const code = isCommand(line) ? await this.#command(line) : await this.#say(line);
      // With nobody there to react, the first failure or question ends the run.
      if (!this.#lines.isTerminal && code !== EXIT.done) return this.#isUnread ? EXIT.done : code;
    }
  }

  close(): void {
    process.off('SIGINT', this.#onInterrupt);
    this.#lines.close();
  }

  async #greet(): Promise<void> {
    const { session, modelId } = this.#conversation;
    this.#print(`${session.name} (${modelId}). /help lists the commands, Ctrl-C interrupts.\n`);
    if (this.#options.session === undefined || !(await isUnfinished(session))) return;
    const waits = (await session.pending()).length > 0;
    if (waits) await this.#turn(undefined);
    else this.#print('The last reply was cut off: --continue finishes it, a new message ends it.\n');
  }

  async #command(line: string): Promise<number> {
    await runCommand(line, { conversation: this.#conversation, print: (text) => this.#print(text), atWork: (run) => this.#atWork(run) });
    return EXIT.done;
  }

  async #atWork(run: (work: AtWork) => Promise<void>): Promise<void> {
    this.#running = new AbortController();
    try {
      await run({ signal: this.#running.signal, heard: () => undefined });
    } finally {
      this.#running = undefined;
    }
  }

  async #say(line: string): Promise<number> {
    const { content, notes } = await withAttachments(line, process.cwd());
    for (const note of notes) this.#surroundings.notes.write(`agentscope: ${note}\n`);
    return this.#turn(content);
  }

  async #turn(input: AgentInput): Promise<number> {
    const { output, notes } = this.#surroundings;
    const view = chatView((text) => output.write(text), { color: output.hasColor && !this.#options.plain, width: output.width });
    this.#running = new AbortController();
    const { signal } = this.#running;
    try {
      return await runTurn(this.#conversation.session, input, {
        view,
        notes,
        signal,
        ask: async (questions) => (this.#lines.isTerminal ? askPerson(questions, (prompt) => this.#lines.next(prompt, { fresh: true })) : undefined),
      });
    } catch (error) {
      const { session, model } = this.#options;
      notes.write(`agentscope: ${await explain(error, { session, model })}\n`);
      return exitCodeOf(error);
    } finally {
      this.#running = undefined;
    }
  }

  /** A reply is interrupted, a question is left open, typed text is dropped; at an empty prompt the chat is left. */
  #interrupt(): void {
    if (this.#running !== undefined && this.#lines.isAsking) this.#lines.cancel();
    else if (this.#running !== undefined) this.#running.abort(new Error('interrupted'));
    else if (this.#lines.typed !== '') this.#lines.clear();
    else this.#leave();
  }

  #leave(): void {
    this.#isLeaving = true;
    this.#lines.close();
  }

  #print(text: string): void {
    this.#surroundings.output.write(text);
  }
}
