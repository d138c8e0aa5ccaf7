import { AgentScopeError } from '../../error/index.ts';
import { isObject, LineCutter, SseCutter } from '../../internal/index.ts';
import type { SseFrame } from '../../internal/index.ts';
import type { ChatResponseChunk } from '../../model/index.ts';
import type { Decoder } from './read-stream.ts';

/** What is known of an answer before its body. */
export interface AnswerFacts {
  readonly provider: string;
  readonly status: number;
  readonly headers: Headers;
  /** The key of the request, taken out of what an error says. */
  readonly key?: string | undefined;
}

/** One answer of one provider while it grows: parsed frames, or one whole body, in; increments out. Knows nothing of bytes. */
export interface FrameReader {
  /** Increments wait to be taken. */
  readonly hasNews: boolean;
  /** Nothing that may still come matters. */
  readonly complete: boolean;
  /** The mark `[DONE]`, by which some protocols end a stream. Left out: it is nothing. */
  doneMark?(): void;
  /** One frame of a stream. @throws AgentScopeError for an error frame. */
  frame(frame: Record<string, unknown>): void;
  /** A body that is one JSON text, an object or a list. */
  whole(body: unknown): void;
  /** Takes what came since the last time. */
  take(): ChatResponseChunk | undefined;
  /** The last chunk: whatever is left, and how it ended. @throws AgentScopeError `model/bad-stream` where it did not end. */
  last(): ChatResponseChunk;
}

export interface FrameDecoderOptions {
  /** How a stream is cut: server-sent events (`sse`, the default), or one JSON object a line (`lines`). */
  readonly framing?: 'sse' | 'lines';
}

/**
 * Bytes to chunks for answers that come as frames whose data are JSON objects, or as one JSON text, told apart by how the body begins,
 * whatever its headers say: among events a brace or a bracket is one JSON text, among lines a first line that is no JSON by itself.
 */
export class FrameDecoder implements Decoder {
  done = false;
  failure: Error | undefined;
  readonly #reader: FrameReader;
  readonly #facts: AnswerFacts;
  readonly #cutter: SseCutter | LineCutter;
  /** One JSON text while it comes; set once the first byte that is no blank has told. */
  #json: { readonly decoder: TextDecoder; text: string } | undefined;
  /** The same among lines: the lines of that one text. */
  #spread: string[] | undefined;
  #told = false;

  constructor(reader: FrameReader, facts: AnswerFacts, { framing = 'sse' }: FrameDecoderOptions = {}) {
    this.#reader = reader;
    this.#facts = facts;
    this.#cutter = framing === 'lines' ? new LineCutter() : new SseCutter();
  }

  push(bytes: Uint8Array): ChatResponseChunk | undefined {
    if (!this.#told && this.#cutter instanceof SseCutter) this.#tell(bytes);
    if (this.#json === undefined) return this.#frames(this.#cutter.push(bytes));
    this.#json.text += this.#json.decoder.decode(bytes, { stream: true });
    return undefined;
  }

  end(): ChatResponseChunk | undefined {
    if (this.#json !== undefined) return this.#whole(this.#json.text + this.#json.decoder.decode());
    const { frame, cut } = this.#cutter.end();
    if (cut !== undefined) throw brokenAnswer(this.#facts, 'The connection ended in the middle of a line.');
    const chunk = frame === undefined ? undefined : this.#frames([frame]);
    if (this.#spread !== undefined) return this.#whole(this.#spread.join('\n'));
    if (this.done || this.failure !== undefined) return chunk;
    try {
      return joined(chunk, this.#last());
    } catch (error) {
      if (chunk === undefined || !(error instanceof Error)) throw error;
      this.failure = error;
      return chunk;
    }
  }

  #tell(bytes: Uint8Array): void {
    const first = bytes.find((byte) => byte > 32);
    if (first === undefined) return;
    this.#told = true;
    if (first === 0x7b || first === 0x5b) this.#json = { decoder: new TextDecoder(), text: '' };
  }

  /** All frames of one network read make one chunk. What a read brought before an error is said before the error is thrown. */
  #frames(frames: readonly SseFrame[]): ChatResponseChunk | undefined {
    const reader = this.#reader;
    try {
      for (const { data } of frames) {
        if (this.#isSpread(data)) continue;
        if (data === '[DONE]') reader.doneMark?.();
        else if (data.trim() !== '') reader.frame(this.#parsed(data));
        if (reader.complete) return this.#last();
      }
    } catch (error) {
      if (!reader.hasNews || !(error instanceof Error)) throw error;
      this.failure = error;
    }
    return reader.take();
  }

  /** Takes a line that belongs to one JSON text over several lines. */
  #isSpread(line: string): boolean {
    if (!this.#told && this.#cutter instanceof LineCutter && parseJson(line) === undefined) this.#spread = [];
    this.#told = true;
    this.#spread?.push(line);
    return this.#spread !== undefined;
  }

  #parsed(data: string): Record<string, unknown> {
    const frame = parseJson(data);
    if (!isObject(frame)) throw brokenAnswer(this.#facts, 'A piece of it is not JSON.');
    return frame;
  }

  #whole(text: string): ChatResponseChunk {
    const body = parseJson(text);
    if (typeof body !== 'object' || body === null) throw brokenAnswer(this.#facts, 'Its body is not JSON.');
    this.#reader.whole(body);
    return this.#last();
  }

  #last(): ChatResponseChunk {
    const chunk = this.#reader.last();
    this.done = true;
    return chunk;
  }
}

/** What a read brought, and the end behind it, as one chunk. */
function joined(chunk: ChatResponseChunk | undefined, last: ChatResponseChunk): ChatResponseChunk {
  return chunk === undefined ? last : { ...last, content: [...chunk.content, ...last.content] };
}

export function brokenAnswer({ provider, headers }: AnswerFacts, what: string): AgentScopeError {
  const requestId = requestIdOf(headers);
  return new AgentScopeError('model/bad-stream', `${provider} broke its answer off. ${what}`, {
    details: { provider, retryable: true, ...(requestId === undefined ? {} : { requestId }) },
  });
}

export function requestIdOf(headers: Headers): string | undefined {
  return headers.get('x-request-id') ?? headers.get('request-id') ?? undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
