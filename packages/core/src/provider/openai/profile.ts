/** What differs between OpenAI and the many servers that speak its protocol. Data, so a new server is a new line. */
export interface OpenAIProfile {
  readonly lengthField: 'max_completion_tokens' | 'max_tokens';
  /** Send the speaker's name with user and assistant messages. */
  readonly names: boolean;
  /** Characters of a tool call id. */
  readonly maxIdLength: number;
  /** Structured output is strict where its schema can be. */
  readonly strict: boolean;
  /** Known to keep answers to a schema; other servers may, may ignore it, or may refuse. */
  readonly structured: boolean;
}

export type OpenAIProfileName = 'openai' | 'compatible';

export const PROFILES: Readonly<Record<OpenAIProfileName, OpenAIProfile>> = {
  openai: { lengthField: 'max_completion_tokens', names: true, maxIdLength: 40, strict: true, structured: true },
  compatible: { lengthField: 'max_tokens', names: false, maxIdLength: Infinity, strict: false, structured: false },
};

/** Models of OpenAI from before schemas (August 2024). */
const WITHOUT_SCHEMAS = /^(?:gpt-3|gpt-4(?:$|-)|gpt-4o-2024-05-13|o1-(?:mini|preview)|chatgpt-)/;

export function keepsToSchemas({ structured }: OpenAIProfile, modelName: string): boolean {
  return structured && !WITHOUT_SCHEMAS.test(modelName);
}

/** By host: OpenAI refuses the older length field, most other servers know no other and some refuse names. */
export function profileFor(url: string): OpenAIProfile {
  return new URL(url).hostname === 'api.openai.com' ? PROFILES.openai : PROFILES.compatible;
}
