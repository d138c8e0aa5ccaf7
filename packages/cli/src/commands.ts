import { writeFile } from 'node:fs/promises';
import type { Msg } from '@agentscope/core';
import { compact as compactNow } from './compact.ts';
import type { AtWork } from './compact.ts';
import type { Conversation } from './conversation.ts';
import { clip } from './flags.ts';
import { explain } from './messages.ts';
import { nearest } from './nearest.ts';
import { permissionCommand } from './permission-command.ts';
import { printable } from './printable.ts';

/** What a command of the chat can use. */
export interface CommandPlace {
  readonly conversation: Conversation;
  print(text: string): void;
  /** Runs what takes long. */
  atWork(run: (work: AtWork) => Promise<void>): Promise<void>;
  /** Puts text at the prompt, to be changed and sent. */
  prefill?(text: string): void;
  /** Shows what another process does in this conversation, until Ctrl-C. */
  watch?(): Promise<void>;
  /** What was shown in short, whole. */
  unfold?(number: number | undefined): string | undefined;
}

interface Command {
  readonly name: string;
  readonly args?: string;
  readonly help: string;
  /** Does not touch the conversation, so it may run while a reply does. */
  readonly isHarmless?: true;
  run(rest: string, place: CommandPlace): Promise<void>;
}

/** The commands of the chat, as `/help` lists them; `/exit` is the room's own. */
const COMMANDS: readonly Command[] = [
  { name: 'help', help: 'this list', isHarmless: true, run: async (_rest, { print, unfold }) => print(helpText(unfold !== undefined)) },
  { name: 'model', args: '[id]', help: 'which model answers; or another one from now on', run: model },
  { name: 'session', args: '[id]', help: 'which conversation this is; or go to another one', run: session },
  { name: 'mode', args: '[mode]', help: 'what tools may do here; or another mode from now on', run: permission },
  { name: 'rules', args: '[drop <id>]', help: 'which rules hold here; or take one away', run: permission },
  { name: 'tools', help: 'what the agent can do', isHarmless: true, run: tools },
  { name: 'show', args: '[n]', help: 'all of what was shown in short (Ctrl-O: the newest)', isHarmless: true, run: show },
  { name: 'clear', help: 'the agent forgets what was said; the record keeps it', run: clear },
  { name: 'compact', args: '[text]', help: 'what was said becomes a summary; the text says what matters', run: compact },
  { name: 'watch', help: 'look on while another process is at work here', run: watch },
  { name: 'fork', args: '[id]', help: 'go on in a branch; this conversation stays as it is', run: fork },
  { name: 'undo', help: 'take back the last thing you said, in a branch', run: undo },
  { name: 'export', args: '[file]', help: 'write the conversation to a .md, .json or .jsonl file', isHarmless: true, run: exportTo },
];

export const COMMAND_NAMES: readonly string[] = [...COMMANDS.map(({ name }) => `/${name}`), '/exit'];

/** `/name …`: anything but the name of a command is something to say. */
export function isCommand(line: string): boolean {
  return /^\/[\w-]*(\s|$)/.test(line);
}

/** Runs a command; what goes wrong is told, and the chat goes on. `isBusy`: a reply is running. */
export async function runCommand(line: string, place: CommandPlace, { isBusy = false }: { isBusy?: boolean } = {}): Promise<void> {
  const [, word = '', rest = ''] = /^\/([\w-]*)\s*([^]*)$/.exec(line) ?? [];
  const command = COMMANDS.find(({ name }) => name === word);
  if (command === undefined) return place.print(unknown(word));
  if (isBusy && command.isHarmless !== true) return place.print(`/${word} waits for the end of the reply: Ctrl-C interrupts it.\n`);
  try {
    await command.run(rest.trim(), place);
  } catch (error) {
    place.print(`${await explain(error, { session: place.conversation.session.sessionId })}\n`);
  }
}

function unknown(word: string): string {
  const [near] = nearest(`/${word}`, COMMAND_NAMES);
  return `There is no /${printable(word)}. ${near === undefined ? '/help lists the commands.' : `Did you mean ${near}?`}\n`;
}

function helpText(isScreen: boolean): string {
  const lines = COMMANDS.filter(({ name }) => name !== 'show' || isScreen).map(({ name, args, help }) => `${`/${name}${args === undefined ? '' : ` ${args}`}`.padEnd(20)} ${help}`);
  return `${lines.join('\n')}\n${'/exit'.padEnd(20)} leave (as Ctrl-D does)\n${isScreen ? SCREEN_KEYS : LINE_KEYS}`;
}

const LINE_KEYS = `${'Ctrl-C'.padEnd(20)} interrupts a reply; at the prompt it leaves\n${'@file'.padEnd(20)} attaches a file or picture\n`;
const SCREEN_KEYS = `${'@file'.padEnd(20)} attaches a file or picture (Tab completes)
${'Alt-Enter, \\ Enter'.padEnd(20)} a new line (also Ctrl-J)
${'Up, Down'.padEnd(20)} what you said before
${'Ctrl-C'.padEnd(20)} interrupts a reply; at the prompt it leaves
While a reply runs, what you say is read by it before its next step.
`;

async function model(rest: string, { conversation, print }: CommandPlace): Promise<void> {
  if (rest !== '') await conversation.changeModel(rest);
  print(rest === '' ? `The model is ${conversation.modelId}.\n` : `${conversation.modelId} answers from now on.\n`);
}

async function session(rest: string, { conversation, print }: CommandPlace): Promise<void> {
  if (rest !== '' && !(await conversation.has(rest))) return print(conversation.folder === undefined ? 'This conversation is not kept, and there is no other: start with --session <id>.\n' : `There is no session ${JSON.stringify(rest)} in ${conversation.folder}. /fork makes one.\n`);
  if (rest !== '') conversation.goTo(rest);
  const count = (await conversation.session.messages()).length;
  print(`session ${printable(conversation.session.sessionId)} · ${count} messages · ${conversation.folder ?? 'in memory, gone at the end'} · ${conversation.modelId}\n`);
}

/** `/mode` and `/rules` share their words with the line they came from. */
function permission(this: Command, rest: string, { conversation, print }: CommandPlace): Promise<void> {
  return permissionCommand(conversation.session, `/${this.name} ${rest}`.trim()).then(print);
}

async function tools(_rest: string, { conversation, print }: CommandPlace): Promise<void> {
  print(conversation.tools.map(({ name, description, readOnly }) => `${name.padEnd(12)} ${description}${readOnly ? '' : ' Asks first.'}\n`).join(''));
}

async function show(rest: string, { print, unfold }: CommandPlace): Promise<void> {
  const text = unfold?.(rest === '' ? undefined : Number(rest));
  print(text === undefined ? (rest === '' ? 'Nothing was shown in short.\n' : `There is nothing with the number ${printable(rest)}.\n`) : `${text.trimEnd()}\n`);
}

async function clear(_rest: string, { conversation, print }: CommandPlace): Promise<void> {
  await conversation.session.clearContext();
  print('The agent begins anew. The record keeps what was said.\n');
}

async function compact(matters: string, { conversation, print, atWork }: CommandPlace): Promise<void> {
  await atWork(async (work) => print(await compactNow(conversation, matters, work)));
}

async function watch(_rest: string, { conversation, print, watch: show }: CommandPlace): Promise<void> {
  if (show === undefined || conversation.folder === undefined) return print('Only a kept conversation can be watched, in a terminal: agentscope sessions watch <id>\n');
  print('Ctrl-C ends it.\n');
  await show();
}

async function fork(rest: string, { conversation, print }: CommandPlace): Promise<void> {
  const before = conversation.session.sessionId;
  await conversation.fork(undefined, rest === '' ? undefined : rest);
  print(`This is the session ${printable(conversation.session.sessionId)} now; ${printable(before)} stays as it was.\n`);
}

async function undo(_rest: string, { conversation, print, prefill }: CommandPlace): Promise<void> {
  const last = (await conversation.session.messages()).findLast(({ role }) => role === 'USER');
  if (last === undefined) return print('Nothing was said yet.\n');
  const before = conversation.session.sessionId;
  const text = saidBy(last);
  await conversation.fork({ before: last.id });
  print(`Back to before "${clip(printable(text).replace(/\s+/g, ' '))}". This is the session ${printable(conversation.session.sessionId)} now; ${printable(before)} stays as it was.\n`);
  prefill?.(text);
}

/** The words of a person, without the files that were attached to them. */
export function saidBy(msg: Msg): string {
  const [first] = msg.getContentBlocks('text');
  return first?.text ?? '';
}

async function exportTo(rest: string, { conversation, print }: CommandPlace): Promise<void> {
  const file = rest === '' ? `${conversation.session.sessionId.replace(/[^\w.-]+/g, '-')}.md` : rest;
  const [, ending] = /\.(jsonl?)$/.exec(file) ?? [];
  const text = await conversation.session.exportTranscript((ending as 'json' | 'jsonl' | undefined) ?? 'markdown');
  // Never over what is there: the name may be one that was not chosen.
  const isThere = await writeFile(file, text, { flag: 'wx' }).then(() => false, (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return true;
    throw error;
  });
  print(isThere ? `${printable(file)} is there already: /export <another file>.\n` : `Written to ${printable(file)}.\n`);
}
