import type { AgentInput } from '@agentscope/core';
import type { CliOptions } from './args.ts';
import { chatView } from './chat-view.ts';
import { isUnfinished, openConversation } from './conversation.ts';
import type { Conversation, Surroundings } from './conversation.ts';
import { EXIT } from './exit-codes.ts';
import { Lines } from './lines.ts';
import { explain, exitCodeOf } from './messages.ts';
import { permissionCommand } from './permission-command.ts';
import { askPerson } from './questions.ts';
import { runTurn } from './turn.ts';

const COMMANDS = `/help     this list
/session  which conversation this is, and where it is kept
/mode     what tools may do; /mode <mode> changes it for this conversation
/rules    which rules hold; /rules drop <id> takes one of this conversation away
/exit     leave (as Ctrl-D does)
Ctrl-C    interrupts a reply; at the prompt it leaves
`;

/** A conversation line by line, until input ends, `/exit`, or Ctrl-C at the prompt. */
export async function chat(options: CliOptions, surroundings: Surroundings): Promise<number> {
  const conversation = await openConversation(options, surroundings);
  const room = new ChatRoom(options, conversation, surroundings);
  try {
    return await room.run();
  } finally {
    room.close();
    await conversation.close();
  }
}

class ChatRoom {
  readonly #options: CliOptions;
  readonly #conversation: Conversation;
  readonly #surroundings: Surroundings;
  readonly #lines: Lines;
  readonly #onInterrupt = (): void => this.#interrupt();
  #isLeaving = false;
  /** The reply that runs. */
  #running: AbortController | undefined;

  constructor(options: CliOptions, conversation: Conversation, surroundings: Surroundings) {
    this.#options = options;
    this.#conversation = conversation;
    this.#surroundings = surroundings;
    this.#lines = new Lines({ input: process.stdin, output: process.stdout, onInterrupt: this.#onInterrupt });
    process.on('SIGINT', this.#onInterrupt);
    surroundings.output.onClosed = () => {
      this.#running?.abort(new Error('nobody reads the output'));
      this.#lines.close();
    };
  }

  async run(): Promise<number> {
    if (this.#lines.isTerminal) await this.#greet();
    for (;;) {
      const line = (await this.#lines.next('> '))?.trim();
      // In a terminal Ctrl-C at the prompt is the usual way out.
      if (line === undefined) return this.#isLeaving && !this.#lines.isTerminal ? EXIT.interrupted : EXIT.done;
      if (line === '/exit') return EXIT.done;
      if (line === '') continue;
      const code = line.startsWith('/') ? await this.#command(line) : await this.#turn(line);
      // With nobody there to react, the first failure or question ends the run.
      if (!this.#lines.isTerminal && code !== EXIT.done) return code;
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
    if (line === '/help') this.#print(COMMANDS);
    else if (line === '/session') await this.#showSession();
    else if (/^\/(mode|rules)(\s|$)/.test(line)) this.#print(await permissionCommand(this.#conversation.session, line));
    else this.#print(`There is no ${line.split(/\s/, 1)[0] ?? line}. /help lists the commands.\n`);
    return EXIT.done;
  }

  async #showSession(): Promise<void> {
    const { session, folder, modelId } = this.#conversation;
    const count = (await session.messages()).length;
    this.#print(`session ${session.sessionId} · ${count} messages · ${folder ?? 'in memory, gone at the end'} · ${modelId}\n`);
  }

  async #turn(input: AgentInput): Promise<number> {
    const { output, notes } = this.#surroundings;
    const view = chatView((text) => output.write(text), { color: output.hasColor, width: output.width });
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
