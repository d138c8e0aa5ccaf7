import { defineCompatibleProfile, NO_MEDIA } from '../shared/chat/index.ts';
import type { CompatibleProfile } from '../shared/chat/index.ts';

/** What DeepSeek accepts. */
export const DEEPSEEK: CompatibleProfile = defineCompatibleProfile({
  name: 'deepseek',
  options: { topK: false, seed: false, parallelToolCalls: false },
  content: 'text',
  emptyContent: '',
  names: true,
  media: NO_MEDIA,
  toolChoice: 'not thinking',
  format: 'object',
  thinking: { control: 'switch', efforts: { minimal: 'high', low: 'high', medium: 'high', high: 'high', xhigh: 'max', max: 'max' }, byDefault: true },
  replay: { thinking: 'tool turns', field: 'reasoning_content', empty: true },
  families: [
    { models: '^deepseek-chat$', thinking: { control: 'none', efforts: {}, on: 'enabled', byDefault: false } },
    { models: '^deepseek-reasoner$', thinking: { control: 'none', efforts: {}, on: 'enabled', byDefault: true } },
    { models: 'r1', thinking: { control: 'none', efforts: {}, on: 'enabled', byDefault: true }, replay: { thinking: 'never', field: 'reasoning_content', empty: false } },
  ],
});
