import { codes, defineCompatibleProfile, NO_MEDIA } from '../shared/chat/index.ts';
import type { CompatibleProfile } from '../shared/chat/index.ts';

/** What MiniMax accepts. */
export const MINIMAX: CompatibleProfile = defineCompatibleProfile({
  name: 'minimax',
  lengthField: 'max_completion_tokens',
  options: { temperature: [0.01, 1], topK: false, seed: false, frequencyPenalty: false, presencePenalty: false, parallelToolCalls: false },
  usageInStream: false,
  extraBody: { reasoning_split: true },
  content: 'text',
  emptyContent: '',
  media: NO_MEDIA,
  toolChoice: 'never',
  noTool: 'leave out',
  format: 'none',
  thinking: { control: 'none', byDefault: true },
  replay: { thinking: 'always', field: 'reasoning_details' },
  thinkTags: true,
  errors: {
    ...codes('model/auth', 1004, 2049),
    ...codes('model/quota', 1008),
    ...codes('model/refused', 1026, 1027),
    ...codes('model/context-overflow', 1039),
    ...codes('model/bad-request', 2013),
    ...codes('model/rate-limit', 1002),
    ...codes('model/timeout', 1001),
    ...codes('model/overloaded', 1000, 1024, 1033),
  },
  families: [
    {
      models: '^minimax-m(?:[3-9]|\\d\\d)',
      content: 'parts',
      media: { ...NO_MEDIA, image: 'address', imageTypes: ['png', 'jpeg', 'jpg', 'gif', 'webp'], video: 'address' },
      thinking: { control: 'switch', efforts: {}, on: 'adaptive', byDefault: true },
    },
  ],
});
