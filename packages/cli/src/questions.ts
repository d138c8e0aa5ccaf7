import { approve, deny } from '@agentscope/core';
import type { Answer, ConfirmQuestion } from '@agentscope/core';
import { printable } from './printable.ts';

/** Reads one line after showing a prompt; undefined at the end of input. */
export type ReadLine = (prompt: string) => Promise<string | undefined>;

/** Asks about one call after the other, until each has a yes or a no; undefined when input ends before. */
export async function askPerson(questions: readonly ConfirmQuestion[], readLine: ReadLine): Promise<readonly Answer[] | undefined> {
  const answers: Answer[] = [];
  for (const question of questions) {
    const yes = await askOne(question, readLine);
    if (yes === undefined) return undefined;
    answers.push(yes ? approve(question) : deny(question, 'The person said no.'));
  }
  return answers;
}

async function askOne({ toolCall, message }: ConfirmQuestion, readLine: ReadLine): Promise<boolean | undefined> {
  // The whole of the arguments: a person decides on what is shown.
  const what = `Run ${toolCall.name} ${JSON.stringify(toolCall.input)}?`;
  const prompt = printable(`${message === undefined ? '' : `${message.replace(/\s+/g, ' ')} `}${what} [y/n] `);
  for (;;) {
    const line = await readLine(prompt);
    if (line === undefined) return undefined;
    const word = line.trim().toLowerCase();
    if (word === 'y' || word === 'yes') return true;
    if (word === 'n' || word === 'no') return false;
  }
}
