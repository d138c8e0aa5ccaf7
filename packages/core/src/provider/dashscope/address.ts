import { endpointUrl, readEnv } from '../shared/index.ts';

export const KEY_VARIABLE = 'DASHSCOPE_API_KEY';
/** That of DashScope's own kit. */
export const URL_VARIABLE = 'DASHSCOPE_HTTP_BASE_URL';
const PUBLIC_URL = 'https://dashscope.aliyuncs.com/api/v1';

const NATIVE = '/api/v1';
const COMPATIBLE = '/compatible-mode/v1';

export type DashScopeService = 'aigc/text-generation/generation' | 'aigc/multimodal-generation/generation' | 'embeddings/text-embedding/text-embedding';

/**
 * The address of a service of DashScope's own protocol. A host alone, or the base of the compatible protocol, becomes that of this one,
 * so that one variable serves both.
 *
 * @throws AgentScopeError `config/invalid` (option `baseUrl`)
 */
export function nativeUrl(baseUrl: string | undefined, service: DashScopeService): string {
  return endpointUrl(basedOn(baseUrl, { path: NATIVE, other: COMPATIBLE }), `/services/${service}`);
}

/** The base address of the compatible protocol, in the same way. */
export function compatibleBase(baseUrl: string | undefined): string {
  return basedOn(baseUrl, { path: COMPATIBLE, other: NATIVE });
}

function basedOn(baseUrl: string | undefined, { path, other }: { path: string; other: string }): string {
  const given = baseUrl ?? readEnv(URL_VARIABLE) ?? PUBLIC_URL;
  if (!URL.canParse(given)) return given;
  const url = new URL(given);
  const base = url.pathname.replace(/\/services\/.*$/, '').replace(/\/+$/, '');
  url.pathname = base === '' ? path : base.endsWith(other) ? base.slice(0, -other.length) + path : base;
  return url.href;
}
