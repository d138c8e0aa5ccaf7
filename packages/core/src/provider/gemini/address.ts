import { readEnv } from '../shared/index.ts';

const KEY_VARIABLES = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'] as const;
const URL_VARIABLE = 'GOOGLE_GEMINI_BASE_URL';
const PUBLIC_URL = 'https://generativelanguage.googleapis.com/v1beta';

/** The first one that is set. */
export function keyVariable(): string {
  return KEY_VARIABLES.find((name) => readEnv(name) !== undefined) ?? KEY_VARIABLES[0];
}

/** The base address, without a slash at its end; `/v1beta` is added to a bare host only. */
export function baseOf(baseUrl: string | undefined): string {
  const base = baseUrl ?? readEnv(URL_VARIABLE) ?? PUBLIC_URL;
  return (URL.canParse(base) && new URL(base).pathname === '/' ? new URL('/v1beta', base).href : base).replace(/\/+$/, '');
}
