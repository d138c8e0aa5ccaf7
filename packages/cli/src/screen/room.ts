import type { AgentInput, SteerReceipt } from '@agentscope/core';
import { withAttachments } from '../attachments.ts';
import { isCommand, runCommand, saidBy } from '../commands.ts';
import type { TalkOptions } from '../config/settings.ts';
import { isUnfinished } from '../conversation.ts';
import type { Conversation, Surroundings } from '../conversation.ts';
import { EXIT } from '../exit-codes.ts';
import { shortened, wrapped } from '../markdown/lines.ts';
import { explain, isConflict } from '../messages.ts';
import { contextWindowOf } from '../model.ts';
import { printable } from '../printable.ts';
import { liveMoments } from '../sessions/live.ts';
import { styleFor } from '../style.ts';
import type { Style } from '../style.ts';
import { runTurn } from '../turn.ts';
import { priceOf, Usage } from '../usage.ts';
import { Asking } from './asking.ts';
import { complete } from './complete.ts';
import { Editor } from './editor.ts';
import type { Written } from './editor.ts';
import { Folds } from './folds.ts';
import { Keys } from './keys.ts';
import type { KeyPress } from './keys.ts';
import { Painter } from './painter.ts';
import type { ReplyView } from './reply-view.ts';
import { saidLines } from './said-lines.ts';
import { Screen } from './screen.ts';

/** A chat in a terminal: what is said scrolls away above, the prompt stands below. */
export class ScreenRoom {
  readonly #options: TalkOptions;
  readonly #conversation: Conversation;
  readonly #style: Style;
  readonly #screen: Screen;
  readonly #painter: Painter;
  readonly #keys: Keys;
  readonly #editor = new Editor();
  readonly #folds = new Folds();
  readonly #usage: Usage;
  /** Said into the running reply, and not read by it yet. */
  readonly #steers: { readonly text: string; readonly receipt: Promise<SteerReceipt> }[] = [];
  #printed: string[] = [];
  #mode = 'default';
  #view: ReplyView | undefined;
  /** `isReply`: what is typed steers it; else it waits for the end of a command. */
  #running: { readonly abort: AbortController; readonly sinceMs: number; readonly isReply: boolean } | undefined;
  readonly #asking: Asking;
  #submitted: Written[] = [];
  #wake: (() => void) | undefined;
  #isLeaving = false;
  #stopped: ReturnType<typeof setInterval> | undefined;

  constructor(options: TalkOptions, conversation: Conversation, { output }: Surroundings) {
    this.#options = options;
    this.#conversation = conversation;
    this.#usage = new Usage((modelName) => priceOf(options.prices, { modelId: conversation.modelId, modelName }));
    this.#style = styleFor({ color: output.hasColor });
    this.#screen = new Screen(process.stdout);
    this.#painter = new Painter(() => this.#paint());
    this.#asking = new Asking({
      editor: this.#editor,
      look: () => this.#look,
      lines: (lines) => this.#lines(lines),
      print: (text) => this.#print(text),
      changed: () => this.#changed(),
      aside: (work) => this.#aside(work),
    });
    this.#keys = new Keys({ input: process.stdin, output: process.stdout, onPress: (press) => this.#press(press) });
    output.onClosed = () => this.#leave();
  }

  /** Problems and questions stand in the conversation like everything else. */
  readonly notes = { write: (text: string): void => this.#print(text) };

  async run(): Promise<number> {
    this.#open();
    await this.#greet();
    for (;;) {
      const written = await this.#next();
      if (written === undefined || written.text.trim() === '/exit') return EXIT.done;
      if (isCommand(written.text)) await this.#command(written.text);
      else await this.#say(written);
    }
  }

  close(): void {
    this.#painter.close();
    process.stdout.off('resize', this.#onResize);
    process.off('SIGCONT', this.#onContinue);
    this.#flush();
    this.#screen.clear();
    this.#keys.close();
  }

  #open(): void {
    this.#keys.open();
    process.stdout.on('resize', this.#onResize);
    process.on('SIGCONT', this.#onContinue);
  }

  async #greet(): Promise<void> {
    const { session, modelId } = this.#conversation;
    this.#lines([`${this.#style(session.name, 'bold')} (${modelId}). /help lists the commands, Ctrl-C interrupts.`]);
    await this.#readSession();
    void this.#readWindow(); // nobody waits for it at the prompt
    if (this.#options.session === undefined || !(await isUnfinished(session))) return;
    if ((await session.pending()).length > 0) await this.#turn(undefined);
    else this.#print('The last reply was cut off: --continue finishes it, a new message ends it.\n');
  }

  /** What was said in this conversation can be fetched again; its mode stands in the status line. */
  async #readSession(): Promise<void> {
    const { session } = this.#conversation;
    for (const msg of await session.messages()) if (msg.role === 'USER') this.#editor.remember(saidBy(msg));
    this.#mode = (await session.permission()).mode;
    this.#changed();
  }

  async #next(): Promise<Written | undefined> {
    while (this.#submitted.length === 0 && !this.#isLeaving) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#submitted.shift();
  }

  async #command(line: string): Promise<void> {
    await runCommand(line, this.#place, { isBusy: this.#running !== undefined });
    // Where the session cannot be read the command has said so.
    this.#mode = await this.#conversation.session.permission().then(({ mode }) => mode, () => this.#mode);
    if (/^\/(clear|compact|session|fork|undo)\b/.test(line)) this.#usage.forgetContext();
    await this.#readWindow();
  }

  get #place(): Parameters<typeof runCommand>[1] {
    return {
      conversation: this.#conversation,
      print: (text) => this.#print(text),
      prefill: (text) => void (this.#editor.text = text),
      unfold: (number) => this.#folds.get(number),
      watch: () => this.#watch(),
      atWork: (run) => this.#show((_view, signal) => run({ signal, heard: (event) => this.#usage.take(event) }), { isReply: false }),
    };
  }

  async #say({ text, shown }: Written): Promise<void> {
    this.#lines(['', ...saidLines(shown, this.#look), '']);
    const { content, notes } = await withAttachments(text, process.cwd());
    for (const note of notes) this.#lines([this.#style(shortened(note, this.#screen.width), 'dim')]);
    let code = await this.#turn(content);
    // What the reply did not read any more is the beginning of the next one.
    while (this.#steers.length > 0 && !this.#isLeaving) {
      if (code === EXIT.interrupted) return this.#takeBack();
      const unread = this.#steers.splice(0);
      this.#lines(['', ...unread.flatMap((steer) => saidLines(steer.text, this.#look)), '']);
      code = await this.#turn(undefined);
    }
  }

  /** Who interrupts wants no further reply: what was not read yet comes back to the prompt. */
  async #takeBack(): Promise<void> {
    const texts: string[] = [];
    for (const { text, receipt } of this.#steers.splice(0)) {
      const isBack = await receipt.then((given) => given.revoke()).catch(() => false);
      if (isBack) texts.push(text);
    }
    if (texts.length > 0) this.#editor.text = [...texts, ...(this.#editor.isEmpty ? [] : [this.#editor.text])].join('\n');
    this.#changed();
  }

  /** Gives the exit code it would have alone. */
  async #turn(input: AgentInput): Promise<number> {
    let code: number = EXIT.failed;
    await this.#show(async (view, signal) => {
      code = await runTurn(this.#conversation.session, input, {
        view: { event: (event) => (this.#usage.take(event), view.event(event)), end: () => view.end() },
        notes: this.notes,
        signal,
        ask: (questions) => {
          this.#flush();
          return this.#asking.ask(questions);
        },
      });
    });
    return code;
  }

  async #readWindow(): Promise<void> {
    this.#usage.window = await contextWindowOf(this.#conversation.modelId);
    this.#changed();
  }

  #watch(): Promise<void> {
    return this.#show(async (view, signal) => {
      for await (const moment of liveMoments(this.#conversation.session, signal)) {
        if ('event' in moment) view.event(moment.event);
        else if (moment.msg.role === 'USER') this.#lines(['', ...saidLines(saidBy(moment.msg), this.#look), '']);
        else this.#lines(wrapped(printable(moment.msg.getTextContent()), this.#screen.width));
      }
      view.end();
    });
  }

  /** Shows a reply while it goes on; what it fails with is told, and the chat goes on. */
  async #show(work: (view: ReplyView, signal: AbortSignal) => Promise<void>, { isReply = true }: { readonly isReply?: boolean } = {}): Promise<void> {
    const abort = new AbortController();
    this.#running = { abort, sinceMs: Date.now(), isReply };
    // Markdown is loaded with the first reply: nobody waits for it at the prompt.
    const { ReplyView: View } = await import('./reply-view.ts');
    const view = new View({ style: this.#style, folds: this.#folds, width: () => this.#screen.width, onChange: () => this.#painter.later(), onRead: (text) => this.#read(text) });
    this.#view = view;
    this.#painter.tick(true);
    try {
      await work(view, abort.signal);
    } catch (error) {
      this.#flush();
      this.#print(`agentscope: ${await explain(error, { session: this.#conversation.session.sessionId, model: this.#conversation.modelId })}${isConflict(error) ? ' (here: /watch)' : ''}\n`);
    } finally {
      this.#flush();
      this.#running = undefined;
      this.#view = undefined;
      this.#painter.tick(false);
      this.#changed();
    }
  }

  #read(text: string): void {
    const at = this.#steers.findIndex((steer) => steer.text === text);
    if (at >= 0) this.#steers.splice(at, 1);
  }

  #steer(text: string): void {
    const receipt = this.#conversation.session.steer(text);
    const steer = { text, receipt };
    this.#steers.push(steer);
    receipt.catch(async (error: unknown) => {
      this.#read(text);
      this.#print(`agentscope: ${await explain(error, { session: this.#conversation.session.sessionId })}\n`);
    });
  }

  async #aside<T>(work: () => Promise<T>): Promise<T> {
    this.#suspend();
    try {
      return await work();
    } finally {
      this.#resume();
    }
  }

  /** Somebody else has the terminal. */
  #suspend(): void {
    this.#painter.hold(true);
    this.#screen.clear();
    this.#keys.close();
  }
  #resume(): void {
    this.#keys.open();
    this.#painter.hold(false);
    this.#changed();
  }

  #press(press: KeyPress): void {
    if (press.type === 'key' && press.name === 'ctrl-c') this.#interrupt();
    else if (press.type === 'key' && press.name === 'ctrl-z') this.#stop();
    else if (this.#asking.dialog !== undefined) this.#asking.dialog.press(press);
    else if (press.type === 'text') this.#editor.insert(press.text);
    else if (press.type === 'paste') this.#editor.paste(press.text);
    else this.#key(press.name);
    this.#changed();
  }

  #key(name: string): void {
    if (name === 'return') this.#enter();
    else if (name === 'tab') void this.#complete();
    else if (name === 'ctrl-o') void runCommand('/show', this.#place, { isBusy: this.#running !== undefined });
    else if (name === 'ctrl-l') process.stdout.write('\u001b[2J\u001b[H');
    else if (name === 'ctrl-d' && this.#editor.isEmpty) this.#leave();
    else this.#editor.press(name === 'ctrl-d' ? 'delete' : name);
  }

  #enter(): void {
    if (this.#editor.text.endsWith('\\')) {
      this.#editor.press('backspace');
      return this.#editor.insert('\n');
    }
    if (this.#asking.takesLine) return this.#asking.takeLine(this.#editor.text);
    const written = this.#editor.take();
    const { text } = written;
    if (text.trim() === '') return;
    if (this.#running === undefined || (!this.#running.isReply && !isCommand(text))) {
      this.#submitted.push(written);
      this.#wake?.();
    } else if (text.trim() === '/exit') this.#leave();
    else if (isCommand(text)) void this.#command(text);
    else this.#steer(text);
  }

  async #complete(): Promise<void> {
    const { text } = this.#editor;
    const { added, choices } = await complete(text, process.cwd());
    // Only where nothing was typed meanwhile.
    if (this.#editor.text === text) this.#editor.insert(added);
    if (choices.length > 0 && added === '') this.#print(`${choices.slice(0, 40).join('  ')}\n`);
    this.#changed();
  }

  /** A question is left open, a reply is interrupted, typed text is dropped; at an empty prompt, and the second time, the chat is left. */
  #interrupt(): void {
    if (this.#asking.leave()) return;
    if (this.#running?.abort.signal.aborted === true) return this.#leaveAtOnce();
    if (this.#running !== undefined) return this.#running.abort.abort(new Error('interrupted'));
    if (this.#editor.isEmpty) return this.#leave();
    this.#editor.clear();
  }

  #leave(): void {
    this.#isLeaving = true;
    this.#asking.leave();
    this.#running?.abort.abort(new Error('left'));
    this.#wake?.();
  }

  /** What runs does not end although it was told to. The journal has everything but its end. */
  #leaveAtOnce(): void {
    this.close();
    process.exit(EXIT.interrupted);
  }

  /** Ctrl-Z: the shell has the terminal until it says `fg`. */
  #stop(): void {
    this.#suspend();
    // With nobody listening to keys nothing else would keep the process until then.
    this.#stopped = setInterval(() => undefined, 60_000);
    process.kill(process.pid, 'SIGTSTP');
  }
  readonly #onContinue = (): void => {
    clearInterval(this.#stopped);
    this.#resume();
  };
  readonly #onResize = (): void => this.#changed();

  get #look(): { readonly width: number; readonly style: Style } {
    return { width: this.#screen.width, style: this.#style };
  }

  #print(text: string): void {
    this.#lines(text.replace(/\n$/, '').split('\n').flatMap((line) => wrapped(printable(line).replaceAll('\t', '    '), this.#screen.width)));
  }
  /** What the reply has said so far stands before it. */
  #lines(lines: readonly string[]): void {
    this.#printed.push(...(this.#view?.take(this.#openHeight).done ?? []), ...lines);
    this.#changed();
  }
  #changed(): void {
    this.#painter.now();
  }
  /** Everything that was said is printed. */
  #flush(): void {
    this.#paint();
  }

  /** Lines for what is still being written. */
  get #openHeight(): number {
    return Math.max(2, this.#screen.height - 8);
  }

  #paint(): void {
    const { done, open } = this.#view?.take(this.#openHeight) ?? { done: [], open: [] };
    const printed = [...this.#printed.splice(0), ...done];
    const { width, style } = this.#look;
    const above = [...open, ...this.#activityLines(), ...this.#waiting.map((text) => style(shortened(`↳ ${printable(text)}`, width), 'dim')), ''];
    const asked = this.#asking.dialog?.lines({ width, style });
    const prompt = asked ? { lines: asked, cursor: { row: asked.length - 1, column: 0 } } : this.#editor.view({ prompt: '> ', width, height: Math.max(1, Math.min(10, this.#screen.height - 4)) });
    const area = [...above, ...prompt.lines, ...wrapped(this.#status, width - 1).map((line) => style(line, 'dim'))];
    this.#screen.update(printed, area, { row: above.length + prompt.cursor.row, column: prompt.cursor.column });
  }

  /** What was said and nobody read yet. */
  get #waiting(): readonly string[] {
    return [...this.#steers.map(({ text }) => text), ...(this.#running === undefined ? [] : this.#submitted.map(({ text }) => text))];
  }

  #activityLines(): readonly string[] {
    if (this.#running === undefined || this.#asking.dialog !== undefined || this.#asking.takesLine) return [];
    const seconds = Math.floor((Date.now() - this.#running.sinceMs) / 1_000);
    const what = this.#running.abort.signal.aborted ? 'stopping (Ctrl-C leaves at once)' : this.#view?.activity || 'working';
    return [this.#style(shortened(`${this.#painter.spinner} ${what} · ${seconds} s`, this.#screen.width), 'dim')];
  }

  get #status(): string {
    const { session, modelId, folder } = this.#conversation;
    return [modelId, this.#usage.words, this.#mode === 'default' ? '' : `mode ${this.#mode}`, folder === undefined ? '' : `session ${printable(session.sessionId)}`].filter((words) => words !== '').join(' · ');
  }
}
