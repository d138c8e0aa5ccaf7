import type { ChatResponseChunk } from '../../model/index.ts';
import type { CallScope } from './call-scope.ts';

/** Bytes of an answer to chunks: a small state machine of one provider. */
export interface Decoder {
  /** The answer is complete, whatever else the connection does. */
  readonly done: boolean;
  /** Thrown after what came before it was said. */
  readonly failure: Error | undefined;
  /** What one network read brought, if anything. */
  push(bytes: Uint8Array): ChatResponseChunk | undefined;
  /** The bytes ended. @throws AgentScopeError `model/bad-stream` where the answer did not. */
  end(): ChatResponseChunk | undefined;
}

export interface Reading {
  readonly decoder: Decoder;
  readonly scope: CallScope;
  /** The error for a connection that broke. */
  onBroken(cause: unknown): Error;
}

/** One chunk per network read that brought something. Stops reading, and lets the socket go, as soon as the answer is complete. */
export async function* readStream(body: ReadableStream<Uint8Array> | null, { decoder, scope, onBroken }: Reading): AsyncGenerator<ChatResponseChunk, void, undefined> {
  const reader = body?.getReader();
  try {
    while (!decoder.done) {
      const read = reader === undefined ? END : await reader.read().catch((cause: unknown) => Promise.reject(onBroken(cause)));
      scope.touch();
      const chunk = read.done ? decoder.end() : decoder.push(read.value);
      if (chunk !== undefined) yield chunk;
      if (decoder.failure !== undefined) throw decoder.failure;
      if (read.done) return;
    }
  } finally {
    reader?.cancel().catch(() => undefined);
  }
}

const END = { done: true, value: undefined } as const;
