/** Name of our instrumentation, as tracers and meters know it. */
export const SCOPE = '@agentscope/core';

/** Names of our provider ids in the conventions, where they differ. */
const PROVIDERS: Readonly<Record<string, string>> = { gemini: 'gcp.gemini', kimi: 'moonshot_ai', xai: 'x_ai' };

export function providerName(provider: string): string {
  return PROVIDERS[provider] ?? provider;
}
