import type { NameMap } from '../../../formatter/index.ts';
import { isObject, newId } from '../../../internal/index.ts';
import type { JsonObject, JsonValue } from '../../../internal/index.ts';
import type { Metadata } from '../../../message/index.ts';
import type { ChatResponseChunk, FinishReason, Increment } from '../../../model/index.ts';
import { COMPATIBLE } from './profile.ts';
import type { CompatibleProfile } from './profile.ts';
import { ReasoningDetails } from './reasoning-details.ts';
import { ThinkTags } from './think-tags.ts';
import { newsOf, ToolCallReader } from './tool-calls.ts';
import { readUsage } from './usage.ts';

type Flow = 'text' | 'thinking' | 'refusal';

/**
 * One answer while it grows: parsed chunks (or one whole body) in, increments out. Knows the protocol's dialects, nothing of bytes.
 * Text, thinking and refusals each stay in one block until something else is said; unknown members are ignored.
 */
export class Answer {
  readonly #profile: CompatibleProfile;
  readonly #calls: ToolCallReader;
  readonly #tags: ThinkTags | undefined;
  readonly #details: ReasoningDetails | undefined;
  readonly #said: Record<Flow, string> = { text: '', thinking: '', refusal: '' };
  #increments: Increment[] = [];
  #next = 0;
  #flow: Flow | undefined;
  #flowIndex = 0;
  #id: string | undefined;
  #model: string | undefined;
  #finish: string | undefined;
  #usage: unknown;

  constructor(names: NameMap, profile: CompatibleProfile = COMPATIBLE) {
    this.#profile = profile;
    this.#calls = new ToolCallReader(names, profile);
    this.#tags = profile.thinkTags ? new ThinkTags() : undefined;
    this.#details = profile.replay.thinking !== 'never' && profile.replay.field === 'reasoning_details' ? new ReasoningDetails() : undefined;
  }

  /** A finish reason was said. */
  get finished(): boolean {
    return this.#finish !== undefined;
  }

  get finishWord(): string | undefined {
    return this.#finish;
  }

  readonly openBlock = (): number => {
    this.#endFlow();
    return this.#next++;
  };

  get increments(): Increment[] {
    return this.#increments;
  }

  read(chunk: Record<string, unknown>): void {
    this.#id ??= textIn(chunk['id']);
    this.#model ??= textIn(chunk['model']);
    const usage = chunk['usage'] ?? usageOfGroq(chunk['x_groq']);
    if (usage !== undefined && usage !== null) this.#usage = usage;
    const choices = chunk['choices'];
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    if (isObject(choice)) this.#choice(choice);
  }

  /** Takes what came since the last time. */
  take(): ChatResponseChunk | undefined {
    if (this.#increments.length === 0) return undefined;
    const content = this.#increments;
    this.#increments = [];
    return { id: (this.#id ??= newId()), content };
  }

  /** The last chunk: whatever is left, and how it ended. */
  last(requestId: string | undefined): ChatResponseChunk {
    this.#endText();
    this.#endFlow();
    this.#calls.end(this);
    const usage = readUsage(this.#usage);
    return {
      id: (this.#id ??= newId()),
      content: this.#increments,
      ...(usage === undefined ? {} : { usage }),
      finishReason: finishReason(this.#finish, this.#calls.count > 0),
      metadata: this.#metadata(requestId),
    };
  }

  #metadata(requestId: string | undefined): Metadata {
    return {
      ...(this.#finish === undefined ? {} : { providerFinishReason: this.#finish }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...(isObject(this.#usage) ? { usage: this.#usage as JsonObject } : {}),
    };
  }

  #choice(choice: Record<string, unknown>): void {
    const delta = choice['delta'];
    if (isObject(delta)) this.#delta(delta);
    else if (isObject(choice['message']) && this.#next === 0 && this.#tags?.isOpen !== true) this.#message(choice['message']);
    const finish = textIn(choice['finish_reason']);
    if (finish !== undefined) this.#finish = finish;
    if (isObject(choice['usage'])) this.#usage = choice['usage'];
  }

  #delta(delta: Record<string, unknown>): void {
    this.#spoken(delta);
    const calls = delta['tool_calls'];
    if (Array.isArray(calls) && calls.length > 0) {
      this.#endText();
      this.#calls.read(calls, this);
    }
    else if (isObject(delta['function_call'])) this.#calls.read([{ function: delta['function_call'] }], this);
  }

  /** A whole answer, or the closing event of a server that repeats it (which counts only where nothing came before). */
  #message(message: Record<string, unknown>): void {
    this.#spoken(message);
    const calls = message['tool_calls'];
    this.#endText();
    if (Array.isArray(calls)) this.#calls.readWhole(calls, this);
    else if (isObject(message['function_call'])) this.#calls.readWhole([{ function: message['function_call'] }], this);
  }

  /** Thinking first: where both come together it was thought before it was said. */
  #spoken(said: Record<string, unknown>): void {
    const thinking = textIn(said['reasoning_content']) ?? textIn(said['reasoning']) ?? detailsText(said['reasoning_details']);
    if (thinking !== undefined) this.#say('thinking', this.#news('thinking', thinking));
    this.#details?.read(said['reasoning_details'], this.#profile.deltas);
    const { content } = said;
    if (typeof content === 'string') this.#text(this.#news('text', content));
    else if (Array.isArray(content)) for (const part of content) if (isObject(part)) this.#part(part);
    const refusal = textIn(said['refusal']);
    if (refusal !== undefined) this.#say('refusal', refusal);
  }

  /** Some servers send content as a list of parts. */
  #part(part: Record<string, unknown>): void {
    if (part['type'] === 'text') this.#say('text', textIn(part['text']) ?? '');
    else if (part['type'] === 'thinking') this.#say('thinking', textIn(part['thinking']) ?? detailsText(part['thinking']) ?? '');
  }

  #news(flow: Flow, text: string): string {
    if (this.#profile.deltas === 'new') return text;
    const news = newsOf(this.#said[flow], text);
    this.#said[flow] += news;
    return news;
  }

  #text(text: string): void {
    if (this.#tags === undefined) return this.#say('text', text);
    for (const [flow, piece] of this.#tags.read(text)) this.#say(flow, piece);
  }

  /** What waited for a tag that did not come. */
  #endText(): void {
    for (const [flow, piece] of this.#tags?.end() ?? []) this.#say(flow, piece);
  }

  /** Thinking that goes back is marked as this server's own. */
  #mark(): { metadata?: Metadata } {
    if (this.#profile.replay.thinking === 'never') return {};
    const isTagged = this.#tags?.isThinking === true;
    return { metadata: { [this.#profile.name]: { reasoning: true, ...(isTagged ? { tags: true } : {}) } } };
  }

  /** The list thinking came in, or the tags around it, are said at its end, once. */
  #endFlow(): void {
    const around = this.#flow === 'thinking' && this.#profile.replay.thinking !== 'never' ? this.#tags?.around : undefined;
    if (around !== undefined) this.#increments.push({ type: 'thinking', index: this.#flowIndex, thinking: '', metadata: { [this.#profile.name]: { reasoning: true, tags: [...around] } } });
    const details = this.#flow === 'thinking' ? this.#details?.take() : undefined;
    if (details !== undefined) this.#increments.push({ type: 'thinking', index: this.#flowIndex, thinking: '', metadata: { [this.#profile.name]: { reasoning: true, details } } });
    this.#flow = undefined;
  }

  #say(flow: Flow, text: string): void {
    if (text === '') return;
    const opens = this.#flow !== flow;
    if (opens) {
      this.#endFlow();
      this.#flow = flow;
      this.#flowIndex = this.#next++;
    }
    const index = this.#flowIndex;
    if (flow === 'thinking') this.#increments.push({ type: 'thinking', index, thinking: text, ...(opens ? this.#mark() : {}) });
    else if (flow === 'refusal' && opens) this.#increments.push({ type: 'text', index, text, metadata: { refusal: true } });
    else this.#increments.push({ type: 'text', index, text });
  }
}

/** `undefined` for a word that is no end: absent, null, or empty. */
function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function usageOfGroq(value: unknown): JsonValue | undefined {
  return isObject(value) ? (value['usage'] as JsonValue | undefined) : undefined;
}

function detailsText(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  return textIn(value.map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join(''));
}

/** Calls that came count as calls whatever the word, except where the answer was cut or filtered; calls that did not come do not. */
function finishReason(word: string | undefined, called: boolean): FinishReason {
  const known = word === undefined ? 'other' : (FINISH_REASONS.get(word) ?? 'other');
  if (known === 'length' || known === 'content_filter') return known;
  if (called) return 'tool_calls';
  return known === 'tool_calls' ? 'stop' : known;
}

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['sensitive', 'content_filter'],
]);

/** Words for "the server failed in the middle of its answer", said where a finish reason stands. */
export const FAILURE_WORDS: ReadonlySet<string> = new Set(['error', 'network_error', 'insufficient_system_resource']);
