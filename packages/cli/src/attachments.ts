import { readFile, stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { toDataBlock } from '@agentscope/core';
import type { Content, UserBlock } from '@agentscope/core';
import { printable } from './printable.ts';

export interface Attached {
  /** What to say to the agent: the text, and what it names. */
  readonly content: Content<UserBlock>;
  /** What was attached, and what could not be, for the person. */
  readonly notes: readonly string[];
}

/** What a model is shown as a picture or document; everything else is read as text. */
const MEDIA: Readonly<Record<string, string>> = { '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg', '.gif': 'image/gif', '.webp': 'image/webp', '.pdf': 'application/pdf' };

const LARGEST_TEXT = 256 * 1024;
const LARGEST_MEDIA = 10 * 1024 * 1024;

/** `@file` and `@"a file"` in a text attach the file. One that is not there stays in the text as it is: not every `@` means a file. */
export async function withAttachments(text: string, cwd: string): Promise<Attached> {
  const blocks: UserBlock[] = [];
  const notes: string[] = [];
  for (const path of new Set(pathsIn(text))) {
    try {
      const block = await blockOf(path, resolve(cwd, path));
      if (block === undefined) continue;
      blocks.push(block);
      notes.push(`attached ${printable(path)}`);
    } catch (error) {
      notes.push(`not attached: ${printable(path)} ${error instanceof Error ? printable(error.message) : ''}`);
    }
  }
  return { content: blocks.length === 0 ? text : [{ type: 'text', text }, ...blocks], notes };
}

function pathsIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/(?<![^\s(])@(?:"([^"\n]+)"|([^\s"]+))/g), ([, quoted, bare = '']) => quoted ?? bare.replace(/[),.;:!?]+$/, '')).filter((path) => path !== '');
}

/** Undefined: there is no such file. @throws Error in words for a person */
async function blockOf(name: string, path: string): Promise<UserBlock | undefined> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return undefined;
  if (!info.isFile()) throw new Error('is not a file');
  const mediaType = MEDIA[extname(path).toLowerCase()];
  const limit = mediaType === undefined ? LARGEST_TEXT : LARGEST_MEDIA;
  if (info.size > limit) throw new Error(`is larger than ${limit / 1024} KB`);
  const bytes = await readFile(path);
  if (mediaType !== undefined) return toDataBlock(bytes, { mediaType, name });
  return { type: 'text', text: `<file name=${JSON.stringify(name)}>\n${textOf(bytes)}\n</file>` };
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('is neither text nor a picture');
  }
}
