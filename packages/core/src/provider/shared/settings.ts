import { AgentScopeError } from '../../error/index.ts';
import type { ChatModelOptions } from '../../model/index.ts';

/** A variable of the environment, trimmed; nothing in a browser, and where it is empty or blank. */
export function readEnv(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name]?.trim() || undefined;
}

/** A key ready for a header, and the variable it came from, if it did. */
export interface Key {
  readonly value: string | undefined;
  readonly variable: string | undefined;
}

interface KeyPlace {
  readonly provider: string;
  readonly variable: string;
  readonly needsKey?: boolean | undefined;
}

/** @throws AgentScopeError `model/auth`, naming the variable: there is no key, or it cannot be sent. Never shows the key. */
export async function readKey(apiKey: ChatModelOptions['apiKey'], { provider, variable, needsKey = true }: KeyPlace): Promise<Key> {
  const given = typeof apiKey === 'function' ? await apiKey() : apiKey;
  const value = (given ?? readEnv(variable))?.trim();
  const source = given === undefined ? variable : undefined;
  const details = { provider, retryable: false, variable };
  if (value === undefined && !needsKey) return { value, variable: source };
  if (value === undefined) {
    throw new AgentScopeError('model/auth', `No key for ${provider}: set ${variable}, or pass the option "apiKey" (an empty text for a server that wants none).`, { details });
  }
  if (!/^[\x21-\x7e]*$/.test(value)) {
    throw new AgentScopeError('model/auth', `The key for ${provider} (${source ?? 'option "apiKey"'}) holds a character that cannot stand in a header.`, { details });
  }
  return { value: value === '' ? undefined : value, variable: source };
}

/**
 * The address of an endpoint under a base address. `/v1` is added to a bare host only; a query stays; an address that already ends in
 * the endpoint is taken as it is.
 *
 * @throws AgentScopeError `config/invalid` (option `baseUrl`)
 */
export function endpointUrl(baseUrl: string, endpoint: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new AgentScopeError('config/invalid', 'The base address of the model is no http or https URL. Check the option "baseUrl" or its variable.', { details: { option: 'baseUrl' } });
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (!path.endsWith(endpoint)) url.pathname = `${path === '' ? '/v1' : path}${endpoint}`;
  return url.href;
}
