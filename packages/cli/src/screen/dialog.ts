import { approve, deny } from '@agentscope/core';
import type { Answer, ConfirmQuestion } from '@agentscope/core';
import { shortened, wrapped } from '../markdown/lines.ts';
import { printable } from '../printable.ts';
import type { Style } from '../style.ts';
import type { KeyPress } from './keys.ts';

/** What was chosen: an answer, other arguments to be asked for, or nothing (the question stays open). */
export type Choice = { readonly type: 'answer'; readonly answer: Answer } | { readonly type: 'edit' } | { readonly type: 'leave' };

const CHOICES = ['yes', 'no', 'always', 'edit'] as const;

/** Keys this close to what was typed before were not meant for the question. */
const SILENCE_MS = 400;

/** Asks about one call: `y`, `n`, `a`, `e`, or the arrows and Enter. Escape leaves the question open. */
export class Dialog {
  readonly choice: Promise<Choice>;
  readonly #question: ConfirmQuestion;
  readonly #place: string;
  #chosen = 0;
  #deafUntilMs: number;
  #resolve: (choice: Choice) => void = () => undefined;

  /** `place`: which question of how many. `whileTyping`: the person was writing something else, and may not have looked up yet. */
  constructor(question: ConfirmQuestion, { place, whileTyping }: { readonly place: string; readonly whileTyping: boolean }) {
    this.#question = question;
    this.#place = place;
    this.#deafUntilMs = whileTyping ? Date.now() + SILENCE_MS : 0;
    this.choice = new Promise((resolve) => (this.#resolve = resolve));
  }

  press(press: KeyPress): void {
    const now = Date.now();
    if (now < this.#deafUntilMs) return void (this.#deafUntilMs = now + SILENCE_MS);
    if (press.type === 'text') return this.#letter(press.text.toLowerCase());
    if (press.type === 'paste') return;
    if (press.name === 'left' || press.name === 'up' || press.name === 'shift-tab') this.#chosen = (this.#chosen + CHOICES.length - 1) % CHOICES.length;
    else if (press.name === 'right' || press.name === 'down' || press.name === 'tab') this.#chosen = (this.#chosen + 1) % CHOICES.length;
    else if (press.name === 'return') this.#choose(CHOICES[this.#chosen] ?? 'no');
    else if (press.name === 'escape' || press.name === 'meta-escape') this.leave();
  }

  leave(): void {
    this.#resolve({ type: 'leave' });
  }

  /** The last two lines of the question; what it is about has been printed before. */
  lines({ width, style }: { readonly width: number; readonly style: Style }): string[] {
    const choices = CHOICES.map((word, i) => {
      const text = `[${word.slice(0, 1)}]${word.slice(1)}`;
      return i === this.#chosen ? style(`❯ ${text}`, 'bold', 'cyan') : `  ${text}`;
    });
    return [style(shortened(`Run ${printable(this.#question.toolCall.name)}?${this.#place}`, width), 'bold'), choices.join('  ')];
  }

  #letter(letter: string): void {
    const word = CHOICES.find((choice) => choice.startsWith(letter));
    if (letter.length === 1 && word !== undefined) this.#choose(word);
  }

  #choose(word: (typeof CHOICES)[number]): void {
    const question = this.#question;
    if (word === 'edit') this.#resolve({ type: 'edit' });
    else if (word === 'no') this.#resolve({ type: 'answer', answer: deny(question, 'The person said no.') });
    else this.#resolve({ type: 'answer', answer: approve(question, word === 'always' ? { remember: 'session' } : {}) });
  }
}

/** The whole of what a person decides on: the tool's words and every argument. */
export function questionLines({ toolCall, message, source }: ConfirmQuestion, { width, style }: { readonly width: number; readonly style: Style }): string[] {
  const who = source === undefined ? '' : `${printable(source.split('/').at(-1) ?? source)}: `;
  const head = style(`? ${who}${printable(toolCall.name)}`, 'yellow', 'bold');
  const words = message === undefined ? [] : wrapped(`  ${printable(message).replace(/\s+/g, ' ')}`, width);
  const input = JSON.stringify(toolCall.input, null, 2);
  const args = input === '{}' ? [] : printable(input).split('\n').flatMap((line) => wrapped(`  ${line}`, width));
  return [head, ...words, ...args];
}
