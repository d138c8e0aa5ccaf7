import { defineCompatibleProfile } from '../shared/chat/index.ts';
import type { CompatibleProfile } from '../shared/chat/index.ts';

/** What Kimi of Moonshot accepts. */
export const KIMI: CompatibleProfile = defineCompatibleProfile({
  name: 'kimi',
  lengthField: 'max_completion_tokens',
  // the thinking generations fix their sampling and refuse any other
  options: { temperature: false, topP: false, topK: false, seed: false, frequencyPenalty: false, presencePenalty: false, parallelToolCalls: false },
  names: true,
  media: { image: 'bytes', audio: 'none', video: 'bytes', pdf: 'none' },
  toolChoice: 'named, not thinking',
  schema: { typeBesideAnyOf: false, tupleItems: false, definitions: false },
  thinking: { control: 'switch', byDefault: true },
  replay: { thinking: 'always', field: 'reasoning_content', empty: true },
  families: [
    {
      models: '^(?:moonshot-v1|kimi-latest|kimi-k2-(?!thinking))',
      lengthField: 'max_tokens',
      options: { temperature: [0, 1], topP: true, topK: false, seed: false, frequencyPenalty: true, presencePenalty: true, parallelToolCalls: false },
      format: 'object',
      thinking: { control: 'none', efforts: {}, on: 'enabled', byDefault: false },
    },
    { models: '^kimi-k2-thinking', thinking: { control: 'none', efforts: {}, on: 'enabled', byDefault: true } },
    { models: '^kimi-k[3-9]', thinking: { control: 'effort', efforts: { minimal: 'low', medium: 'high', xhigh: 'max' }, on: 'enabled', byDefault: true, stops: false } },
  ],
});
