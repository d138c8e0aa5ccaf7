import type { JsonObject } from '../internal/index.ts';
import type { ChatUsage, Metadata } from '../message/index.ts';
import { collectResponse } from '../model/index.ts';
import type { ChatModel, ChatResponseChunk, FinishReason, Increment, ModelCallOptions, ModelRequest } from '../model/index.ts';

/** One part of a scripted answer; a string is `{ text }`. Members are played in the order they stand here. */
export interface ScriptedPart {
  /** Milliseconds to wait before this part; an abort ends the wait. */
  readonly delayMs?: number;
  /** Waits for it before this part. */
  readonly until?: PromiseLike<unknown>;
  /** A list is one delta an item. Goes on in the block of a thinking part right before it. */
  readonly thinking?: string | readonly string[];
  /** As `thinking`. */
  readonly text?: string | readonly string[];
  /** Calls this tool. */
  readonly tool?: string;
  readonly input?: JsonObject;
  /** The arguments' text instead of `input`, whole or in pieces: broken JSON, an empty text. */
  readonly arguments?: string | readonly string[];
  /** The call's id. Default `call-<n>`, counted over the script. */
  readonly id?: string;
  /** Provider-private facts of this part's blocks: signatures. */
  readonly metadata?: Metadata;
  /** Base64 data of this media type. */
  readonly data?: { readonly mediaType: string; readonly base64: string };
  readonly usage?: ChatUsage;
  readonly finishReason?: FinishReason;
  /** Thrown at this place. */
  readonly error?: Error;
  /** Never goes on; only an abort ends it. */
  readonly hang?: boolean;
  /** Kills the process with SIGKILL at this place (Node only). */
  readonly crash?: boolean;
}
export type ScriptedReply = string | ScriptedPart | readonly (string | ScriptedPart)[] | ((request: ModelRequest) => string | ScriptedPart | readonly (string | ScriptedPart)[]);

export interface ScriptedModel extends ChatModel {
  /** What the model was asked, call by call. */
  readonly requests: readonly ModelRequest[];
  /** How many model calls are running now. */
  readonly running: number;
}

/**
 * A model that says what the script says: each model call takes the next reply; a list is one reply of several parts; a function gets
 * the request. Without `finishReason` a reply with a call ends with `tool_calls`, any other with `stop`. An empty list is an empty
 * answer. Past the end of the script it throws.
 */
export function scriptedModel(...replies: readonly ScriptedReply[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  let calls = 0;
  let running = 0;
  async function* stream(request: ModelRequest, { signal }: ModelCallOptions = {}): AsyncGenerator<ChatResponseChunk, void, undefined> {
    const reply = replies[requests.push(request) - 1];
    if (reply === undefined) throw new Error(`scriptedModel: the script has ${replies.length} replies, and the model was called once more.`);
    running++;
    try {
      yield* play(toParts(reply, request), { id: `scripted-${requests.length}`, signal, nextCallId: () => `call-${++calls}` });
    } finally {
      running--;
    }
  }
  return {
    provider: 'scripted',
    modelName: 'scripted',
    requests,
    get running() {
      return running;
    },
    stream,
    call: (request, options) => collectResponse(stream(request, options)),
  };
}

interface Playing {
  readonly id: string;
  readonly signal: AbortSignal | undefined;
  nextCallId(): string;
}

async function* play(parts: readonly ScriptedPart[], playing: Playing): AsyncGenerator<ChatResponseChunk, void, undefined> {
  const blocks = new BlockNumbers();
  for (const part of parts) {
    await hold(part, playing.signal);
    for (const content of incrementsOf(part, blocks, playing)) yield { id: playing.id, content: [content] };
    if (part.error) throw part.error;
  }
  yield { id: playing.id, content: [], ...ending(parts) };
}

/** Text goes on in the block of the text before it, thinking likewise; everything else is a block of its own. */
class BlockNumbers {
  #last = -1;
  #kind = '';

  of(kind: Increment['type'], isNew: boolean): number {
    if (isNew || this.#kind !== kind) this.#last++;
    this.#kind = kind;
    return this.#last;
  }
}

function* incrementsOf(part: ScriptedPart, blocks: BlockNumbers, playing: Playing): Generator<Increment, void, undefined> {
  const common = part.metadata ? { metadata: part.metadata } : {};
  for (const thinking of pieces(part.thinking)) yield { index: blocks.of('thinking', false), type: 'thinking', thinking, ...common };
  for (const text of pieces(part.text)) yield { index: blocks.of('text', false), type: 'text', text, ...common };
  if (part.data) yield { index: blocks.of('data', true), type: 'data', data: { type: 'base64', mediaType: part.data.mediaType, data: part.data.base64 }, ...common };
  if (part.tool === undefined) return;
  const call = { index: blocks.of('tool_use', true), type: 'tool_use', id: part.id ?? playing.nextCallId(), name: part.tool, ...common } as const;
  for (const content of pieces(part.arguments ?? JSON.stringify(part.input ?? {}))) yield { ...call, content };
}

async function hold({ delayMs = 0, until, hang = false, crash = false }: ScriptedPart, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (crash) globalThis.process.kill(globalThis.process.pid, 'SIGKILL');
  if (!hang && delayMs === 0 && until === undefined && !crash) return;
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => reject(signal?.reason);
    const done = (): void => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    if (!hang && !crash) void Promise.all([until, new Promise((wake) => setTimeout(wake, delayMs))]).then(done, reject);
  });
}

function ending(parts: readonly ScriptedPart[]): { finishReason: FinishReason; usage?: ChatUsage } {
  const usage = parts.findLast((part) => part.usage)?.usage;
  const said = parts.findLast((part) => part.finishReason)?.finishReason;
  const finishReason = said ?? (parts.some((part) => part.tool !== undefined) ? 'tool_calls' : 'stop');
  return { finishReason, ...(usage ? { usage } : {}) };
}

function toParts(reply: ScriptedReply, request: ModelRequest): readonly ScriptedPart[] {
  const said = typeof reply === 'function' ? reply(request) : reply;
  const list = Array.isArray(said) ? (said as readonly (string | ScriptedPart)[]) : [said as string | ScriptedPart];
  return list.map((part) => (typeof part === 'string' ? { text: part } : part));
}

function pieces(text: string | readonly string[] | undefined): readonly string[] {
  if (text === undefined) return [];
  return typeof text === 'string' ? [text] : text;
}
