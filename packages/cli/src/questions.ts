import { approve, deny } from '@agentscope/core';
import type { Answer, ConfirmQuestion, JsonObject } from '@agentscope/core';
import { printable } from './printable.ts';

/** Reads one line after showing a prompt; undefined at the end of input. */
export type ReadLine = (prompt: string) => Promise<string | undefined>;

/** Asks about one call after the other, until each has its answer; undefined when input ends before. */
export async function askPerson(questions: readonly ConfirmQuestion[], readLine: ReadLine): Promise<readonly Answer[] | undefined> {
  const answers: Answer[] = [];
  for (const question of questions) {
    const answer = await askOne(question, readLine);
    if (answer === undefined) return undefined;
    answers.push(answer);
  }
  return answers;
}

async function askOne(question: ConfirmQuestion, readLine: ReadLine): Promise<Answer | undefined> {
  const { toolCall, message } = question;
  // The whole of the arguments: a person decides on what is shown.
  const what = `Run ${toolCall.name} ${JSON.stringify(toolCall.input)}?`;
  const prompt = printable(`${message === undefined ? '' : `${message.replace(/\s+/g, ' ')} `}${what} [y]es [n]o [a]lways [e]dit `);
  for (;;) {
    const line = await readLine(prompt);
    if (line === undefined) return undefined;
    const word = line.trim().toLowerCase();
    if (word === 'y' || word === 'yes') return approve(question);
    if (word === 'n' || word === 'no') return deny(question, 'The person said no.');
    if (word === 'a' || word === 'always') return approve(question, { remember: 'session' });
    if (word !== 'e' && word !== 'edit') continue;
    const input = await askInput(readLine);
    if (input === undefined) return undefined;
    if (input !== 'none') return approve(question, { input });
  }
}

/** Other arguments; `'none'`: an empty line, so the question stands again. */
async function askInput(readLine: ReadLine): Promise<JsonObject | 'none' | undefined> {
  for (let prompt = 'Arguments as JSON: '; ; prompt = 'That is no JSON object. Arguments as JSON: ') {
    const line = await readLine(prompt);
    if (line === undefined || line.trim() === '') return line === undefined ? undefined : 'none';
    try {
      const input: unknown = JSON.parse(line);
      if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as JsonObject;
    } catch {
      // asked again
    }
  }
}
