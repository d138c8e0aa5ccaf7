import type { AgentEvent, EventOf } from '@agentscope/core';
import { printable } from './printable.ts';
import { LineKeeper } from './view.ts';
import type { View, Write } from './view.ts';

export interface ChatViewOptions {
  /** Dims what is not the answer, and shows thinking. */
  readonly color: boolean;
  /** Characters a line. */
  readonly width: number;
}

/** A reply for a person: its text as it comes, thinking dim, a tool call and its result as one short line each. */
export function chatView(write: Write, { color, width }: ChatViewOptions): View {
  const lines = new LineKeeper(write);
  const dim = (text: string): string => (color ? `\u001b[2m${text}\u001b[22m` : text);
  const note = (text: string): void => {
    lines.close();
    lines.say(dim(shorten(text, width)));
    lines.say('\n');
  };
  const calls = new CallTexts();
  return {
    event(event) {
      if (event.source !== undefined) return;
      calls.take(event);
      switch (event.type) {
        case 'THINKING_BLOCK_START':
        case 'TEXT_BLOCK_START':
          return lines.close();
        case 'THINKING_BLOCK_DELTA':
          return color ? lines.say(dim(printable(event.delta))) : undefined;
        case 'TEXT_BLOCK_DELTA':
          return lines.say(printable(event.delta));
        case 'DATA_BLOCK_START':
          return note(`[${event.name ?? event.mediaType ?? 'data'}]`);
        case 'HINT_BLOCK':
          // What a person said into the reply, from elsewhere.
          return event.hintSource === 'user' ? said(lines, event.hint) : undefined;
        case 'TOOL_CALL_END':
          return note(`→ ${event.toolCallName} ${calls.argumentsOf(event)}`);
        case 'TOOL_RESULT_END':
          return note(`${event.state === 'success' ? '←' : '✗'} ${calls.resultOf(event)}`);
        case 'AGENT_END':
          return endingNote(endingWords(event), note);
        default:
          return undefined;
      }
    },
    end: () => lines.close(),
  };
}

/** What somebody said, as it stands behind the prompt of the chat. */
export function said(lines: LineKeeper, text: string): void {
  lines.close();
  lines.say(`> ${printable(text).trimEnd().replaceAll('\n', '\n  ')}\n`);
}

function endingNote(words: string | undefined, note: Write): void {
  if (words !== undefined) note(words);
}

/** How a reply ended, where that is worth a line. */
export function endingWords({ generateReason, error }: EventOf<'AGENT_END'>): string | undefined {
  if (generateReason === 'INTERRUPTED') return '(interrupted)';
  if (generateReason === 'MAX_ITERATIONS') return '(stopped at the limit of model calls)';
  if (generateReason === 'ALL_TOOLS_DENIED') return '(stopped: every call was refused)';
  return error === undefined && generateReason?.endsWith('_STOP_REQUESTED') === true ? '(stopped by a tool or hook)' : undefined;
}

/** What is needed of arguments and results for one line each: their first piece, however long they are. */
class CallTexts {
  readonly #arguments = new Map<string, string>();
  readonly #results = new Map<string, string>();

  take(event: AgentEvent): void {
    if (event.type === 'TOOL_CALL_DELTA') append(this.#arguments, event.toolCallId, event.delta);
    else if (event.type === 'TOOL_RESULT_TEXT_DELTA') append(this.#results, event.toolCallId, event.delta);
    else if (event.type === 'TOOL_RESULT_DATA_DELTA') append(this.#results, event.toolCallId, `(${event.data.type}) `);
  }
  argumentsOf({ toolCallId }: { readonly toolCallId: string }): string {
    return taken(this.#arguments, toolCallId);
  }
  resultOf({ toolCallId }: { readonly toolCallId: string }): string {
    return taken(this.#results, toolCallId);
  }
}

const ENOUGH = 500;

function append(texts: Map<string, string>, id: string, piece: string): void {
  const text = texts.get(id) ?? '';
  if (text.length < ENOUGH) texts.set(id, text + piece.slice(0, ENOUGH));
}

function taken(texts: Map<string, string>, id: string): string {
  const text = texts.get(id) ?? '';
  texts.delete(id);
  return text;
}

/** On one line, cut at its end. */
function shorten(text: string, width: number): string {
  const line = printable(text).replace(/\s+/g, ' ').trim();
  const letters = [...line];
  return letters.length < width ? line : `${letters.slice(0, Math.max(1, width - 2)).join('')}…`;
}
