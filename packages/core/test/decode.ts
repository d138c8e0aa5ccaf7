import { AgentScopeError } from '../src/error/index.ts';
import { collectResponse } from '../src/model/index.ts';
import type { ChatResponse, ChatResponseChunk } from '../src/model/index.ts';
import type { Decoder } from '../src/provider/shared/index.ts';

/** What a decoder makes of these pieces of a body; what it said before an error is in `said`. */
export async function decode(decoder: Decoder, pieces: readonly (string | Uint8Array)[]): Promise<{ response?: ChatResponse; error?: AgentScopeError; said: readonly ChatResponseChunk[] }> {
  const said: ChatResponseChunk[] = [];
  const take = (chunk: ChatResponseChunk | undefined): void => {
    if (chunk !== undefined) said.push(chunk);
    if (decoder.failure !== undefined) throw decoder.failure;
  };
  try {
    for (const piece of pieces) if (!decoder.done) take(decoder.push(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece));
    if (!decoder.done) take(decoder.end());
    return { response: await collectResponse(listed(said)), said };
  } catch (error) {
    if (!AgentScopeError.is(error)) throw error;
    return { error, said };
  }
}

async function* listed(chunks: readonly ChatResponseChunk[]): AsyncGenerator<ChatResponseChunk> {
  yield* chunks;
}

/** One frame dropped, said twice, in the wrong place, or broken; each with what was done. `most`: frames that are touched, evenly. */
export function* mutations(frames: readonly string[], most = 100): Generator<{ what: string; at: number; frames: readonly string[] }> {
  for (let at = 0; at < frames.length; at += at > frames.length - 8 ? 1 : Math.ceil(frames.length / most)) {
    const frame = frames[at] ?? '';
    const rest = frames.slice(at + 1);
    const before = frames.slice(0, at);
    yield { what: 'dropped', at, frames: [...before, ...rest] };
    yield { what: 'repeated', at, frames: [...before, frame, frame, ...rest] };
    yield { what: 'broken', at, frames: [...before, frame.slice(0, Math.floor(frame.length / 2)), ...rest] };
    if (at + 1 < frames.length) yield { what: 'swapped', at, frames: [...before, frames[at + 1] ?? '', frame, ...frames.slice(at + 2)] };
    yield { what: 'ended', at, frames: before };
  }
}
