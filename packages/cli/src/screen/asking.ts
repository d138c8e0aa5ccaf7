import { approve } from '@agentscope/core';
import type { Answer, ConfirmQuestion, JsonObject } from '@agentscope/core';
import { wrapped } from '../markdown/lines.ts';
import { printable } from '../printable.ts';
import type { Style } from '../style.ts';
import { Dialog, questionLines } from './dialog.ts';
import type { Editor } from './editor.ts';
import { editorOf, editText, readObject } from './text-editor.ts';

/** What a question needs of the room it is asked in. */
export interface AskingPlace {
  readonly editor: Editor;
  look(): { readonly width: number; readonly style: Style };
  lines(lines: readonly string[]): void;
  print(text: string): void;
  changed(): void;
  /** Runs somebody else who has the terminal meanwhile. */
  aside<T>(work: () => Promise<T>): Promise<T>;
}

/** Questions of a reply, one after the other: a dialog each, and other arguments by the editor of the person or at the prompt. */
export class Asking {
  readonly #place: AskingPlace;
  #dialog: Dialog | undefined;
  /** Arguments are being changed at the prompt. */
  #onLine: ((line: string | undefined) => void) | undefined;

  constructor(place: AskingPlace) {
    this.#place = place;
  }

  get dialog(): Dialog | undefined {
    return this.#dialog;
  }
  /** The next line at the prompt belongs to a question. */
  get takesLine(): boolean {
    return this.#onLine !== undefined;
  }
  takeLine(line: string | undefined): void {
    this.#onLine?.(line);
  }

  /** Leaves what stands open; false where nothing does. */
  leave(): boolean {
    const isOpen = this.takesLine || this.#dialog !== undefined;
    if (this.takesLine) this.takeLine(undefined);
    else this.#dialog?.leave();
    return isOpen;
  }

  /** Undefined: they stay open. */
  async ask(questions: readonly ConfirmQuestion[]): Promise<readonly Answer[] | undefined> {
    const answers: Answer[] = [];
    for (const [i, question] of questions.entries()) {
      this.#place.lines(questionLines(question, this.#place.look()));
      const answer = await this.#askOne(question, questions.length > 1 ? ` (${i + 1} of ${questions.length})` : '');
      if (answer === undefined) return undefined;
      answers.push(answer);
    }
    return answers;
  }

  async #askOne(question: ConfirmQuestion, place: string): Promise<Answer | undefined> {
    for (;;) {
      const dialog = new Dialog(question, { place, whileTyping: !this.#place.editor.isEmpty });
      this.#show(dialog);
      const choice = await dialog.choice;
      this.#show(undefined);
      if (choice.type === 'leave') return undefined;
      if (choice.type === 'answer') return choice.answer;
      const input = await this.#editInput(question);
      if (input !== undefined) return approve(question, { input: input as JsonObject });
    }
  }

  #show(dialog: Dialog | undefined): void {
    this.#dialog = dialog;
    this.#place.changed();
  }

  /** Other arguments, from the person's editor or, where none is named, from the prompt. Undefined: the question stands again. */
  async #editInput({ toolCall }: ConfirmQuestion): Promise<Record<string, unknown> | undefined> {
    const json = JSON.stringify(toolCall.input, null, 2);
    const editor = editorOf(process.env);
    const text = editor === undefined ? await this.#editHere(json) : await this.#place.aside(() => editText(json, { editor, name: 'arguments.json' }));
    if (text === undefined || text.trim() === '') return undefined;
    const input = readObject(text);
    const { width } = this.#place.look();
    if (input === undefined) this.#place.print('That is no JSON object; nothing was changed.\n');
    else this.#place.lines(['with', ...printable(JSON.stringify(input, null, 2)).split('\n').flatMap((line) => wrapped(`  ${line}`, width))]);
    return input;
  }

  #editHere(json: string): Promise<string | undefined> {
    const { editor, print, changed } = this.#place;
    print('Change the arguments and press Enter; empty: the question stands again. (With EDITOR set, your editor opens.)\n');
    const draft = editor.text;
    editor.text = json;
    changed();
    return new Promise<string | undefined>((resolve) => (this.#onLine = resolve)).finally(() => {
      this.#onLine = undefined;
      editor.text = draft;
    });
  }
}
