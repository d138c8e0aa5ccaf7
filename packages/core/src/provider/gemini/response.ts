import { FrameDecoder } from '../shared/index.ts';
import type { Decoder } from '../shared/index.ts';
import { GeminiAnswer } from './answer.ts';
import type { GeminiAnswerFacts } from './answer.ts';

/** The bytes of an answer to chunks: a stream of events, one response, or (where a proxy drops `alt=sse`) a list of them. */
export function createDecoder(facts: GeminiAnswerFacts): Decoder {
  return new FrameDecoder(new GeminiAnswer(facts), facts);
}
