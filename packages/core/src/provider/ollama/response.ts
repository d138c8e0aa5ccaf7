import { FrameDecoder } from '../shared/index.ts';
import type { Decoder } from '../shared/index.ts';
import { OllamaAnswer } from './answer.ts';
import type { OllamaAnswerFacts } from './answer.ts';

/** The bytes of an answer to chunks: one response a line, or one response spread over several. */
export function createDecoder(facts: OllamaAnswerFacts): Decoder {
  return new FrameDecoder(new OllamaAnswer(facts), facts, { framing: 'lines' });
}
