import type { AgentEvent, EventOf } from '@agentscope/core';
import { endingWords } from '../chat-view.ts';
import { MarkdownFlow } from '../markdown/flow.ts';
import type { Grown } from '../markdown/flow.ts';
import { shortened, wrapped } from '../markdown/lines.ts';
import { printable } from '../printable.ts';
import type { Style } from '../style.ts';
import type { View } from '../view.ts';
import type { Folds } from './folds.ts';
import { saidLines } from './said-lines.ts';
import { callLines, resultLines, thoughtLines } from './tool-lines.ts';
import type { FoldOptions } from './tool-lines.ts';

export interface ReplyViewOptions {
  readonly style: Style;
  readonly folds: Folds;
  /** Columns a line may take now. */
  width(): number;
  /** Something is to be painted. */
  onChange(): void;
  /** What a person said into the reply was read. */
  onRead(text: string): void;
}

/** Lines of thinking that are seen while it goes on. */
const THINKING_LINES = 3;

/** A reply on the screen: text as Markdown while it comes, everything else in a few lines. What children say stands indented. */
export class ReplyView implements View {
  readonly #options: ReplyViewOptions;
  readonly #speakers = new Map<string, Speaker>();
  #printed: string[] = [];
  #lastKind: string | undefined;
  #lastSource = '';

  constructor(options: ReplyViewOptions) {
    this.#options = options;
  }

  event(event: AgentEvent): void {
    const source = event.source ?? '';
    let speaker = this.#speakers.get(source);
    if (speaker === undefined) {
      const indent = indentOf(source);
      speaker = new Speaker(() => ({ width: this.#options.width() - indent.length, style: this.#options.style, folds: this.#options.folds }), { isChild: source !== '' });
      this.#speakers.set(source, speaker);
    }
    if (event.type === 'HINT_BLOCK' && event.hintSource === 'user') this.#options.onRead(event.hint);
    for (const { kind, lines } of speaker.take(event)) this.#print(source, kind, lines);
    if (event.type === 'AGENT_END' && source !== '') this.#speakers.delete(source);
    this.#options.onChange();
  }

  /** Whatever is still open stays as it is. */
  end(): void {
    for (const [source, speaker] of this.#speakers) for (const { kind, lines } of speaker.end()) this.#print(source, kind, lines);
    this.#speakers.clear();
    this.#options.onChange();
  }

  /** What is to be printed now, once, and what is still changing. */
  take(height: number): Grown {
    const own = this.#speakers.get('');
    const { done, open } = own?.grow(height) ?? { done: [], open: [] };
    if (done.length > 0) this.#print('', 'text', done);
    const printed = this.#printed;
    this.#printed = [];
    const gap = open.length > 0 && this.#needsGap('', 'text') && own?.isWriting === true ? [''] : [];
    return { done: printed, open: [...gap, ...open] };
  }

  /** What it is doing, for the line that shows the time; empty while text comes. */
  get activity(): string {
    return [...this.#speakers.values()].map(({ activity }) => activity).filter((words) => words !== '').join(', ');
  }

  #needsGap(source: string, kind: string): boolean {
    return this.#lastKind !== undefined && this.#lastKind !== kind && source === this.#lastSource;
  }

  #print(source: string, kind: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    const { style } = this.#options;
    const indent = indentOf(source);
    if (this.#needsGap(source, kind)) this.#printed.push(style(indent.trimEnd(), 'dim'));
    if (source !== this.#lastSource && source !== '') this.#printed.push(style(`${indent}${printable(source.split('/').at(-1) ?? source)}`, 'dim'));
    this.#lastKind = kind;
    this.#lastSource = source;
    this.#printed.push(...lines.map((line) => (indent === '' ? line : style(indent, 'dim') + line)));
  }
}

/** `main/researcher` is one step in, its own children one more. */
function indentOf(source: string): string {
  return source === '' ? '' : '│ '.repeat(Math.min(4, Math.max(1, source.split('/').length - 1)));
}

interface Piece {
  /** Between two kinds stands an empty line. */
  readonly kind: 'text' | 'work' | 'note';
  readonly lines: readonly string[];
}

/** The agent, or one of its children: what of its words and calls is open. */
class Speaker {
  readonly #fold: () => FoldOptions;
  readonly #isChild: boolean;
  readonly #flow = new MarkdownFlow();
  readonly #calls = new Map<string, { readonly name: string; args: string; result: string; readonly sinceMs: number }>();
  #thinking: { text: string; readonly sinceMs: number } | undefined;
  #isWriting = false;
  /** The model made several calls at once: a result says whose it is. */
  #hasSeveral = false;

  constructor(fold: () => FoldOptions, { isChild }: { readonly isChild: boolean }) {
    this.#fold = fold;
    this.#isChild = isChild;
  }

  get isWriting(): boolean {
    return this.#isWriting;
  }
  get activity(): string {
    if (this.#thinking !== undefined) return 'thinking';
    return this.#isWriting ? '' : [...this.#calls.values()].map(({ name }) => printable(name)).join(', ');
  }

  // oxlint-disable-next-line complexity -- one line an event
  take(event: AgentEvent): readonly Piece[] {
    switch (event.type) {
      case 'TEXT_BLOCK_START':
        this.#isWriting = true;
        return [];
      case 'TEXT_BLOCK_DELTA':
        return (this.#flow.push(printable(event.delta)), []);
      case 'TEXT_BLOCK_END':
        return this.#endText();
      case 'THINKING_BLOCK_START':
        return ((this.#thinking = { text: '', sinceMs: Date.now() }), []);
      case 'THINKING_BLOCK_DELTA':
        if (this.#thinking) this.#thinking.text += event.delta;
        return [];
      case 'THINKING_BLOCK_END':
        return this.#endThinking();
      case 'DATA_BLOCK_START':
        return [work([this.#fold().style(`[${printable(event.name ?? event.mediaType ?? 'data')}]`, 'dim')])];
      case 'HINT_BLOCK':
        return event.hintSource === 'user' ? [...this.end(), { kind: 'note', lines: saidLines(event.hint, this.#fold()) }] : [];
      case 'TOOL_CALL_START':
      case 'TOOL_CALL_DELTA':
      case 'TOOL_RESULT_START':
      case 'TOOL_RESULT_TEXT_DELTA':
      case 'TOOL_RESULT_DATA_DELTA':
        return (this.#note(event), []);
      case 'MODEL_CALL_START':
        return ((this.#hasSeveral = false), []);
      case 'TOOL_CALL_END':
        this.#hasSeveral = this.#calls.size > 1;
        return [work(callLines(event.toolCallName, this.#calls.get(event.toolCallId)?.args ?? '', this.#fold()))];
      case 'TOOL_RESULT_END':
        return this.#endResult(event);
      case 'AGENT_END':
        return [...this.end(), ...this.#ending(event)];
      default:
        return [];
    }
  }

  grow(height: number): Grown {
    const { style, width } = this.#fold();
    if (this.#isChild) return { done: [], open: [] };
    if (this.#isWriting) return this.#flow.grow({ style, width }, height);
    const tail = this.#thinking?.text.slice(-1_000) ?? '';
    return { done: [], open: tail === '' ? [] : wrapped(printable(tail).trim(), width - 2).slice(-THINKING_LINES).map((line) => style(`  ${line}`, 'dim')) };
  }

  end(): readonly Piece[] {
    return [...this.#endThinking(), ...this.#endText()];
  }

  #endText(): readonly Piece[] {
    const { style, width } = this.#fold();
    this.#isWriting = false;
    const lines = this.#flow.end({ style, width });
    return lines.length === 0 ? [] : [{ kind: 'text', lines }];
  }

  #endThinking(): readonly Piece[] {
    const { text = '', sinceMs = 0 } = this.#thinking ?? {};
    this.#thinking = undefined;
    return text === '' ? [] : [work(thoughtLines(text, Math.round((Date.now() - sinceMs) / 1_000), this.#fold()))];
  }

  #endResult({ toolCallId, toolCallName, state }: EventOf<'TOOL_RESULT_END'>): readonly Piece[] {
    const text = this.#calls.get(toolCallId)?.result ?? '';
    const name = this.#hasSeveral ? toolCallName : undefined;
    this.#calls.delete(toolCallId);
    return [work(resultLines({ text: text === '' ? '(nothing)' : text, isFine: state === 'success', name }, this.#fold()))];
  }

  #note(event: EventOf<'TOOL_CALL_START' | 'TOOL_CALL_DELTA' | 'TOOL_RESULT_START' | 'TOOL_RESULT_TEXT_DELTA' | 'TOOL_RESULT_DATA_DELTA'>): void {
    const call = this.#calls.get(event.toolCallId) ?? { name: event.toolCallName, args: '', result: '', sinceMs: Date.now() };
    this.#calls.set(event.toolCallId, call);
    if (event.type === 'TOOL_CALL_DELTA') call.args += event.delta;
    else if (event.type === 'TOOL_RESULT_TEXT_DELTA') call.result += event.delta;
    else if (event.type === 'TOOL_RESULT_DATA_DELTA') call.result += `(${event.data.type}) `;
    else if (event.type === 'TOOL_RESULT_START') call.result = '';
  }

  #ending(event: EventOf<'AGENT_END'>): readonly Piece[] {
    this.#calls.clear();
    const words = endingWords(event);
    const { style, width } = this.#fold();
    return words === undefined ? [] : [{ kind: 'note', lines: [style(shortened(words, width), 'dim')] }];
  }
}

function work(lines: readonly string[]): Piece {
  return { kind: 'work', lines };
}
