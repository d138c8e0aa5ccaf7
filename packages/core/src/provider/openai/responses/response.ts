import { FrameDecoder } from '../../shared/index.ts';
import type { Decoder } from '../../shared/index.ts';
import { ResponsesAnswer } from './answer.ts';
import type { ResponsesAnswerFacts } from './facts.ts';

/** The bytes of a Responses answer to chunks, streamed or whole. */
export function createDecoder(facts: ResponsesAnswerFacts): Decoder {
  return new FrameDecoder(new ResponsesAnswer(facts), facts);
}
