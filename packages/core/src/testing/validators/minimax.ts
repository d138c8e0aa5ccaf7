import { compatibleValidator } from './compatible.ts';
import type { RequestValidator } from './shared.ts';

/** Judges a request as MiniMax M2 does (PROVIDERS §11): a subset of the protocol, thinking split off, no choice of a tool. */
export const validateMiniMaxRequest: RequestValidator = compatibleValidator({
  members: ['temperature', 'top_p', 'max_completion_tokens', 'stop', 'reasoning_split'],
  ranges: { temperature: [0.000_001, 1], top_p: [0, 1] },
  stopWords: 4,
  choices: [],
  named: false,
  formats: [],
  names: false,
  parts: [],
  addresses: false,
  thinking: 'reasoning_details',
  thinkingBesideCalls: false,
  nullContent: false,
  own: (body, problems) => void problems.check(body['reasoning_split'] === true, 'reasoning_split', 'true, so that thinking stays out of the text'),
});
