import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { defineTool } from '@agentscope/core';
import type { AnyTool, PermissionDecision } from '@agentscope/core';
import { below, isPrivateName } from './below.ts';

const MOST_NAMES = 500;
const MOST_BYTES = 1_000_000;
const MOST_LINES = 400;

export const listFiles: AnyTool = defineTool({
  name: 'list_files',
  description: 'Lists the files and folders of a folder below the working directory.',
  input: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Folder, for example docs or src/lib. Left out: the working directory.' } },
    additionalProperties: false,
  },
  readOnly: true,
  checkPermission: ({ path = '.' }) => askForPrivate(path),
  async execute({ path = '.' }) {
    const { path: folder, name } = await below(process.cwd(), path);
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      throw new Error(error.code === 'ENOTDIR' ? `${name} is a file. read_file reads it.` : `${name} cannot be listed (${error.code ?? error.message}).`);
    });
    const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? '/' : entry.isSymbolicLink() ? '@' : ''}`).toSorted();
    const more = names.length - MOST_NAMES;
    return names.length === 0 ? `${name} is empty.` : `${names.slice(0, MOST_NAMES).join('\n')}${more > 0 ? `\n… and ${more} more` : ''}`;
  },
});

export const readFile: AnyTool = defineTool({
  name: 'read_file',
  description: 'Reads a text file below the working directory, with at most 400 lines at once.',
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'File, for example README.md or src/main.ts.' },
      from: { type: 'integer', minimum: 1, description: 'First line to read. Left out: 1.' },
    },
    required: ['path'],
    additionalProperties: false,
  },
  readOnly: true,
  checkPermission: ({ path }) => askForPrivate(path),
  async execute({ path, from = 1 }) {
    const file = await below(process.cwd(), path);
    const lines = (await textOf(file.path, file.name)).split('\n');
    if (lines.at(-1) === '') lines.pop();
    const shown = lines.slice(from - 1, from - 1 + MOST_LINES);
    if (shown.length === 0) return lines.length === 0 ? `${file.name} is empty.` : `${file.name} has only ${lines.length} lines.`;
    const left = lines.length - (from - 1) - shown.length;
    return `${shown.join('\n')}${left > 0 ? `\n… ${left} more lines, from line ${from + shown.length} on` : ''}`;
  },
});

/** Reading runs unasked, but not what people keep to themselves. */
async function askForPrivate(path: string): Promise<'passthrough' | PermissionDecision> {
  // A link may have another name than what it leads to; a path that is refused anyhow needs no question.
  const found = await below(process.cwd(), path).catch(() => undefined);
  if (found === undefined || !(isPrivateName(path) || isPrivateName(found.name))) return 'passthrough';
  return { behavior: 'ask', message: `${found.name} may hold what is private.` };
}

async function textOf(path: string, name: string): Promise<string> {
  // The last part is no link any more: should it have become one meanwhile, it is not followed.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${name} cannot be read (${error.code ?? error.message}).`);
  });
  try {
    const info = await handle.stat();
    if (info.isDirectory()) throw new Error(`${name} is a folder. list_files lists it.`);
    if (!info.isFile()) throw new Error(`${name} is no file.`);
    if (info.size > MOST_BYTES) throw new Error(`${name} has ${info.size} bytes, more than the ${MOST_BYTES} that are read.`);
    return decoded(await handle.readFile(), name);
  } finally {
    await handle.close();
  }
}

function decoded(bytes: Uint8Array, name: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // said below
  }
  throw new Error(`${name} is no text.`);
}
