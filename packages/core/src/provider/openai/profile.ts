import { COMPATIBLE, defineCompatibleProfile } from '../shared/chat/index.ts';
import type { CompatibleProfile } from '../shared/chat/index.ts';

/** Servers whose profile comes with the package; `compatible` is any other. */
export type OpenAIProfileName = 'openai' | 'compatible' | 'dashscope' | 'groq' | 'lmstudio' | 'openrouter' | 'vllm';

export const PROFILES: Readonly<Record<OpenAIProfileName, CompatibleProfile>> = {
  openai: defineCompatibleProfile({ name: 'openai', lengthField: 'max_completion_tokens', options: { topK: false }, names: true, maxIdLength: 40, strict: true, structured: true }),
  compatible: COMPATIBLE,
  dashscope: defineCompatibleProfile({
    name: 'dashscope',
    emptyContent: '',
    media: { audio: 'none', video: 'address', pdf: 'none' },
    toolChoice: 'not thinking',
    format: 'object',
    thinking: { control: 'none' },
  }),
  groq: defineCompatibleProfile({ name: 'groq', lengthField: 'max_completion_tokens', options: { topK: false }, names: true, media: { audio: 'none', pdf: 'none' } }),
  lmstudio: defineCompatibleProfile({ name: 'lmstudio', emptyContent: '', media: { audio: 'none', pdf: 'none' } }),
  openrouter: defineCompatibleProfile({ name: 'openrouter', replay: { thinking: 'always', field: 'reasoning_details' }, thinking: { byDefault: true } }),
  vllm: defineCompatibleProfile({ name: 'vllm', emptyContent: '', media: { video: 'address' } }),
};

/** Models of OpenAI from before schemas (August 2024). */
const WITHOUT_SCHEMAS = /^(?:gpt-3|gpt-4(?:$|-)|gpt-4o-2024-05-13|o1-(?:mini|preview)|chatgpt-)/;

export function keepsToSchemas({ structured }: CompatibleProfile, modelName: string): boolean {
  return structured && !WITHOUT_SCHEMAS.test(modelName);
}

/** By host: OpenAI refuses the older length field, most other servers know no other and some refuse names. */
export function profileFor(url: string): CompatibleProfile {
  return new URL(url).hostname === 'api.openai.com' ? PROFILES.openai : PROFILES.compatible;
}
