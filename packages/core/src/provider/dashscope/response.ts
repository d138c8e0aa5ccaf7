import { FrameDecoder } from '../shared/index.ts';
import type { Decoder } from '../shared/index.ts';
import { DashScopeAnswer } from './answer.ts';
import type { DashScopeAnswerFacts } from './answer.ts';

/** The bytes of an answer to chunks: a stream of events, or one response. */
export function createDecoder(facts: DashScopeAnswerFacts): Decoder {
  return new FrameDecoder(new DashScopeAnswer(facts), facts);
}
