import { AgentScopeError } from '../../error/index.ts';
import { readEnv } from '../shared/index.ts';

const LOCAL = 'http://127.0.0.1:11434';
const VARIABLES = ['OLLAMA_BASE_URL', 'OLLAMA_HOST'] as const;

/**
 * The address of a command of Ollama's own protocol: under `baseUrl`, else `OLLAMA_BASE_URL`, else `OLLAMA_HOST`, which may be what the
 * server listens on (`0.0.0.0`, `:8080`, a bare name), else this machine. An address that ends in `/v1`, where the other protocol of the same server is, is
 * taken for its `/api`.
 *
 * @throws AgentScopeError `config/invalid` (option `baseUrl`)
 */
export function ollamaUrl(baseUrl: string | undefined, command: 'chat' | 'embed' | 'tags'): string {
  const variable = baseUrl === undefined ? VARIABLES.find((name) => readEnv(name) !== undefined) : undefined;
  const text = baseUrl ?? (variable === undefined ? LOCAL : (readEnv(variable) ?? LOCAL));
  const url = parsed(text.trim());
  if (url === undefined) {
    throw new AgentScopeError('config/invalid', `The address of Ollama (${variable ?? 'option "baseUrl"'}) is no http or https URL; it reads like ${LOCAL}.`, { details: { option: 'baseUrl' } });
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/api\/(?:chat|embed|tags)$/, '/api').replace(/\/v1$/, '/api');
  url.pathname = `${path.endsWith('/api') ? path : `${path}/api`}/${command}`;
  return url.href;
}

/** As Ollama reads `OLLAMA_HOST`: without a scheme it is http and port 11434. */
function parsed(text: string): URL | undefined {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const full = hasScheme ? text : `http://${text.startsWith(':') ? '127.0.0.1' : ''}${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (!hasScheme && url.port === '' && !/:80(?:\/|$)/.test(text)) url.port = '11434';
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  return url;
}
