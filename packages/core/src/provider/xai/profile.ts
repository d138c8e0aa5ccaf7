import { defineCompatibleProfile } from '../shared/chat/index.ts';
import type { CompatibleProfile } from '../shared/chat/index.ts';

/** What Grok of xAI accepts. */
export const XAI: CompatibleProfile = defineCompatibleProfile({
  name: 'xai',
  lengthField: 'max_completion_tokens',
  options: { topK: false, frequencyPenalty: false, presencePenalty: false },
  names: true,
  media: { imageTypes: ['png', 'jpeg', 'jpg'], audio: 'none', pdf: 'none' },
  structured: true,
  thinking: { efforts: { minimal: 'low', max: 'xhigh' } },
  schema: { closedObjects: false },
});
