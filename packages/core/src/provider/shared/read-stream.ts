import type { ChatResponseChunk } from '../../model/index.ts';
import type { CallScope, ChunkSource } from './call-scope.ts';

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

/** One chunk per network read that brought something. Reads no further than the answer goes. */
export function readChunks(body: ReadableStream<Uint8Array> | null, { decoder, scope, onBroken }: Reading): ChunkSource {
  const reader = body?.getReader();
  let ended = false;
  const read = async (): Promise<ChatResponseChunk | undefined> => {
    let bytes: Uint8Array | undefined;
    try {
      bytes = (await reader?.read())?.value;
    } catch (cause) {
      throw onBroken(cause);
    }
    scope.touch();
    if (bytes !== undefined) return decoder.push(bytes);
    ended = true;
    return decoder.end();
  };
  return {
    async next() {
      while (!ended && !decoder.done && decoder.failure === undefined) {
        const chunk = await read();
        if (chunk !== undefined) return chunk;
      }
      if (decoder.failure !== undefined) throw decoder.failure;
      return undefined;
    },
    finish() {
      if (reader !== undefined && !ended) void drain(reader);
    },
    close() {
      reader?.cancel().catch(() => undefined);
    },
  };
}

/** How long a connection may stay open behind a complete answer, in milliseconds. */
const GRACE_MS = 100;

/** Reads to the end of the body, which mostly is there already: a body that was read to its end leaves its connection for the next call. */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), GRACE_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // it broke behind the answer; nobody waits for it
  } finally {
    clearTimeout(timer);
  }
}
