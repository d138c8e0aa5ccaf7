import type { AgentEvent } from '../event/index.ts';
import type { RunContext } from '../hook/index.ts';
import { isObject } from '../internal/index.ts';
import type { JsonObject, JsonValue } from '../internal/index.ts';
import type { Msg } from '../message/index.ts';
import type { ModelCallInput } from '../middleware/index.ts';
import { redactText, redactValue } from './redact.ts';

/** One line of a trace file. `type` is that of an event, a block said whole (`TEXT_BLOCK`, …), `INPUT` or `MODEL_REQUEST`. */
export interface TraceLine {
  readonly [name: string]: JsonValue | undefined;
  /** ISO 8601. */
  readonly at: string;
  readonly type: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly userId?: string;
  readonly replyId: string;
  /** Path of the child that said it, where the agent of this trace only passed it on. */
  readonly source?: string;
}

export interface TraceLinesOptions {
  readonly redact: boolean | ((text: string) => string);
  readonly content: boolean;
  readonly maxTextLength: number;
}

/** Something that comes in pieces and is written when it is whole. */
interface Piece {
  readonly startedAt: string;
  readonly texts: string[];
  length: number;
}

type Members = Readonly<Record<string, JsonValue>>;

/** Characters read beyond the cut, so that a secret across it is known as one. */
const MARGIN = 1024;
/** Children whose events come a second time by their caller are remembered up to here. */
const MOST_OWN_REPLIES = 10_000;

/** Events as lines: deltas joined to the block they belong to, secrets masked, long texts cut, media left out. */
export class TraceLines {
  readonly #options: TraceLinesOptions;
  readonly #pieces = new Map<string, Piece>();
  /** Replies that this trace sees by itself: what their callers pass on is not written twice. */
  readonly #own = new Set<string>();

  constructor(options: TraceLinesOptions) {
    this.#options = options;
  }

  input(messages: readonly Msg[], ctx: RunContext): TraceLine {
    return this.#line(new Date().toISOString(), { type: 'INPUT', messages: this.#content(toJson(messages)) }, ctx);
  }

  request({ model, purpose, messages, tools, options }: ModelCallInput, ctx: RunContext): TraceLine {
    const { additionalHeaders: _headers, ...asked } = options; // headers carry keys
    const fields = { type: 'MODEL_REQUEST', provider: model.provider, modelName: model.modelName, purpose, options: toJson(asked), tools: tools.map(({ name }) => name), messages: this.#content(toJson(messages)) };
    return this.#line(new Date().toISOString(), fields, ctx);
  }

  /** The line of an event; undefined where it belongs to one that comes later, or was written before. */
  event(event: AgentEvent, ctx: RunContext): TraceLine | undefined {
    if (this.#isTold(event)) return undefined;
    const fields = this.#fieldsOf(event);
    if (event.type === 'AGENT_END') this.#forget(event.replyId);
    return fields && this.#line(event.createdAt, event.source === undefined ? fields : { ...fields, source: event.source, replyId: event.replyId ?? ctx.replyId }, ctx);
  }

  #isTold({ source, replyId = '' }: AgentEvent): boolean {
    if (source !== undefined) return this.#own.has(replyId);
    this.#own.add(replyId);
    const [oldest = ''] = this.#own;
    if (this.#own.size > MOST_OWN_REPLIES) this.#own.delete(oldest);
    return false;
  }

  #fieldsOf(event: AgentEvent): (JsonObject & { readonly type: string }) | undefined {
    switch (event.type) {
      case 'TEXT_BLOCK_START':
      case 'THINKING_BLOCK_START':
      case 'DATA_BLOCK_START':
      case 'TOOL_CALL_START':
        return this.#begin(event);
      case 'TEXT_BLOCK_DELTA':
      case 'THINKING_BLOCK_DELTA':
      case 'DATA_BLOCK_DELTA':
      case 'TOOL_CALL_DELTA':
      case 'TOOL_RESULT_TEXT_DELTA':
        return this.#add(event, event.delta);
      case 'TOOL_RESULT_DATA_DELTA':
        return this.#add(event, event.data.type === 'text' ? event.data.text : `[${event.data.type}]`);
      case 'TEXT_BLOCK_END':
      case 'THINKING_BLOCK_END':
        return { ...this.#plain(event), ...this.#whole(event), type: event.type.slice(0, -4) };
      case 'DATA_BLOCK_END': {
        const { startedAt, length } = this.#take(event);
        return { ...this.#plain(event), startedAt, base64Length: length, type: 'DATA_BLOCK' };
      }
      case 'TOOL_CALL_END':
        return { ...this.#plain(event), ...this.#whole(event), type: 'TOOL_CALL' };
      case 'TOOL_RESULT_START':
        this.#begin(event);
        return this.#plain(event);
      case 'TOOL_RESULT_END':
        return { ...this.#plain(event), ...this.#whole(event) };
      case 'AGENT_RESULT': {
        const { result: _folded, ...rest } = event; // all of it was said before
        return this.#plain(rest as AgentEvent);
      }
      default:
        return this.#plain(event);
    }
  }

  #begin(event: AgentEvent): undefined {
    this.#pieces.set(keyOf(event), { startedAt: event.createdAt, texts: [], length: 0 });
  }

  /** Keeps little more than is written. */
  #add(event: AgentEvent, text: string): undefined {
    const piece = this.#pieces.get(keyOf(event));
    if (!piece) return;
    const room = this.#options.maxTextLength + MARGIN - piece.length;
    piece.length += text.length;
    if (room > 0 && !event.type.startsWith('DATA_')) piece.texts.push(text.slice(0, room));
  }

  #take(event: AgentEvent): Piece {
    const piece = this.#pieces.get(keyOf(event)) ?? { startedAt: event.createdAt, texts: [], length: 0 };
    this.#pieces.delete(keyOf(event));
    return piece;
  }

  #whole(event: AgentEvent): JsonObject {
    const { startedAt, texts, length } = this.#take(event);
    if (!this.#options.content) return { startedAt, textLength: length };
    return { startedAt, text: this.#cut(this.#maskJson(texts.join('')), length) };
  }

  /** An event's own fields; what a person, model or tool said in them is content. */
  #plain({ id, type, createdAt: _at, source: _source, replyId: _reply, ...fields }: AgentEvent): JsonObject & { readonly type: string } {
    const kept = Object.entries(toJson(fields) as Members).map(([name, value]) => [name, this.#field(name, value)] as const);
    return { id, type, ...Object.fromEntries(kept) };
  }

  #field(name: string, value: JsonValue): JsonValue {
    if (this.#options.content) return this.#masked(value);
    if (name === 'error' && isObject(value)) return { type: (value as Members)['type'] ?? '' };
    if (name === 'metadata' && isObject(value)) return Object.fromEntries(Object.entries(value as Members).filter(([each]) => FACTS.has(each)).map(([each, fact]) => [each, this.#field(each, fact)]));
    return SAID.has(name) ? null : this.#masked(value);
  }

  #content(value: JsonValue): JsonValue {
    return this.#options.content ? this.#masked(value) : null;
  }

  #masked(value: JsonValue): JsonValue {
    return redactValue(value, (text) => this.#cut(this.#mask(text), text.length), this.#options.redact === true);
  }

  /** What the cut could have parted from a secret goes too. */
  #cut(text: string, length: number): string {
    const { maxTextLength } = this.#options;
    if (length <= maxTextLength) return text;
    const kept = text.slice(0, Math.max(0, Math.min(maxTextLength, text.length - MARGIN / 2)));
    return `${kept}… [${length - kept.length} more characters]`;
  }

  /** Arguments and results are often JSON: then names count too. */
  #maskJson(text: string): string {
    if (this.#options.redact !== true || !/^\s*[{[]/.test(text)) return this.#mask(text);
    try {
      return JSON.stringify(redactValue(JSON.parse(text) as JsonValue, redactText));
    } catch {
      return this.#mask(text);
    }
  }

  #mask(text: string): string {
    const { redact } = this.#options;
    if (typeof redact === 'boolean') return redact ? redactText(text) : text;
    try {
      return redact(text);
    } catch {
      return '[not written: redact threw]';
    }
  }

  #line(at: string, fields: JsonObject & { readonly type: string }, { agent, sessionId, userId, replyId }: RunContext): TraceLine {
    const { type, ...rest } = fields;
    return { at, type, agent: agent.name, sessionId, ...(userId === undefined ? {} : { userId }), replyId, ...rest };
  }

  /** What a reply left open is not waited for. */
  #forget(replyId: string): void {
    for (const key of this.#pieces.keys()) if (key.startsWith(`${replyId} `)) this.#pieces.delete(key);
  }
}

/** Fields of events that hold what was said. */
const SAID: ReadonlySet<string> = new Set(['toolCalls', 'confirmResults', 'toolResults', 'deniedToolCalls', 'hint', 'value', 'reason']);
/** What is known to be none of it in their metadata. */
const FACTS: ReadonlySet<string> = new Set(['call', 'purpose', 'cause', 'finishReason', 'providerFinishReason', 'requestId', 'error', 'discarded', 'run', 'replaces', 'inputIds', 'taskId']);

function keyOf(event: AgentEvent): string {
  if ('blockId' in event) return `${event.replyId} block ${event.blockId}`;
  return 'toolCallId' in event ? `${event.replyId} ${event.type.startsWith('TOOL_RESULT') ? 'result' : 'call'} ${event.toolCallId}` : '';
}

function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value, withoutMedia)) as JsonValue;
}

/** Base64 is no reading matter. */
function withoutMedia(this: unknown, name: string, value: unknown): unknown {
  const isMedia = name === 'data' && typeof value === 'string' && typeof this === 'object' && this !== null && ('mediaType' in this || 'media_type' in this);
  return isMedia ? `[${value.length} characters of base64]` : value;
}
