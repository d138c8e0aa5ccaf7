import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { defineTool } from '@agentscope/core';
import type { AnyTool } from '@agentscope/core';

/** In the folder the program was started in. One note a line, as JSON. */
const FILE = '.agentscope/notes.jsonl';

interface Note {
  readonly at: string;
  readonly text: string;
  /** Of the call that wrote it: after a crash it can be seen whether it did. */
  readonly key: string;
}

export const addNote: AnyTool = defineTool({
  name: 'add_note',
  description: 'Writes a note down, to be remembered later.',
  input: {
    type: 'object',
    properties: { text: { type: 'string', minLength: 1, maxLength: 2_000, description: 'What to remember, for example buy milk.' } },
    required: ['text'],
    additionalProperties: false,
  },
  effect: 'once',
  async execute({ text }, { idempotencyKey }) {
    await mkdir(dirname(FILE), { recursive: true });
    await appendFile(FILE, `${JSON.stringify({ at: new Date().toISOString(), text, key: idempotencyKey } satisfies Note)}\n`);
    return `Noted: ${text}`;
  },
  async reconcile({ text }, { idempotencyKey }) {
    const isWritten = (await readNotes()).some(({ key }) => key === idempotencyKey);
    return isWritten ? { status: 'done', output: `Noted: ${text}` } : { status: 'notStarted' };
  },
});

export const listNotes: AnyTool = defineTool({
  name: 'list_notes',
  description: 'Lists the notes that were written down.',
  input: { type: 'object', properties: {}, additionalProperties: false },
  readOnly: true,
  async execute() {
    const notes = await readNotes();
    return notes.length === 0 ? 'There are no notes.' : notes.map(({ at, text }) => `- ${text} (${at.slice(0, 10)})`).join('\n');
  },
});

/** A line that is no note, as one torn by a crash, is passed over. */
async function readNotes(): Promise<readonly Note[]> {
  const text = await readFile(FILE, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => {
    try {
      const note = JSON.parse(line) as Partial<Note>;
      return typeof note.text === 'string' ? [{ at: String(note.at), text: note.text, key: String(note.key) }] : [];
    } catch {
      return [];
    }
  });
}
