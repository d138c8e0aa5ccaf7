import { COMPATIBLE } from '../shared/chat/index.ts';
import type { ChatProfile } from '../shared/chat/index.ts';

export type OpenAIProfileName = 'openai' | 'compatible';

export const PROFILES: Readonly<Record<OpenAIProfileName, ChatProfile>> = {
  openai: { ...COMPATIBLE, lengthField: 'max_completion_tokens', names: true, maxIdLength: 40, strict: true, structured: true },
  compatible: COMPATIBLE,
};

/** Models of OpenAI from before schemas (August 2024). */
const WITHOUT_SCHEMAS = /^(?:gpt-3|gpt-4(?:$|-)|gpt-4o-2024-05-13|o1-(?:mini|preview)|chatgpt-)/;

export function keepsToSchemas({ structured }: ChatProfile, modelName: string): boolean {
  return structured && !WITHOUT_SCHEMAS.test(modelName);
}

/** By host: OpenAI refuses the older length field, most other servers know no other and some refuse names. */
export function profileFor(url: string): ChatProfile {
  return new URL(url).hostname === 'api.openai.com' ? PROFILES.openai : PROFILES.compatible;
}
