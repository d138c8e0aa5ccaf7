const DEFAULT_OPENAI_MODEL = 'gpt-5.5';

/** Said by nobody. */
export const BUILT_IN = 'built in';

/** An id, and who said so. */
export interface Chosen {
  readonly value: string;
  readonly from: string;
}

/**
 * The id of the model to use, and who said so: the flag, the environment, the configuration, a key of OpenAI, then the model that needs
 * nothing. Empty and blank variables count as not set.
 */
export function chooseModel({ flag, config, env }: { readonly flag?: string | undefined; readonly config?: Chosen | undefined; readonly env: Readonly<Record<string, string | undefined>> }): Chosen {
  if (flag !== undefined) return { value: flag, from: '--model' };
  const [wanted, key, name] = ['AGENTSCOPE_MODEL', 'OPENAI_API_KEY', 'OPENAI_MODEL'].map((variable) => env[variable]?.trim());
  if (wanted) return { value: wanted, from: 'AGENTSCOPE_MODEL' };
  if (config !== undefined) return config;
  if (!key) return { value: 'offline:demo', from: BUILT_IN };
  return { value: `openai:${name || DEFAULT_OPENAI_MODEL}`, from: name ? 'OPENAI_MODEL' : 'OPENAI_API_KEY' };
}
