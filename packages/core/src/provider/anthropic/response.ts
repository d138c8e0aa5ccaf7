import { FrameDecoder } from '../shared/index.ts';
import type { Decoder } from '../shared/index.ts';
import { AnthropicAnswer } from './answer.ts';
import type { AnthropicAnswerFacts } from './answer.ts';

/** The bytes of an answer of the Messages API to chunks, streamed or whole. */
export function createDecoder(facts: AnthropicAnswerFacts): Decoder {
  return new FrameDecoder(new AnthropicAnswer(facts), facts);
}
