import type { AnyTool } from '@agentscope/core';
import { calculator, clock } from './arithmetic-and-time.ts';
import { listFiles, readFile } from './files.ts';
import { addNote, listNotes } from './notes.ts';
import { fetchUrl } from './web.ts';

/** What the agent of the terminal can do. */
export const TOOLS: readonly AnyTool[] = [calculator, clock, listFiles, readFile, fetchUrl, addNote, listNotes];
