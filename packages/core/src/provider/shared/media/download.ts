import { AgentScopeError } from '../../../error/index.ts';
import type { LoadedMedia, MediaPolicy } from '../../../model/index.ts';
import { isPrivateAddress, isPrivateHost } from './private-address.ts';
import { addressesOf } from './resolve-host.ts';

const MAX_BYTES = 20_000_000;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;

/**
 * The bytes behind an address, as the policy allows. Every hop of a redirect is judged anew, by its name and by the addresses the name
 * resolves to. Between that look-up and the connection a name may still change its mind (DNS rebinding): who must rule that out gives
 * a `fetch` that connects through a filtering proxy, or a list of hosts.
 *
 * @throws AgentScopeError `media/blocked`, `media/too-large`, `model/timeout`, `model/network`; an abort of `signal` throws its reason.
 */
export async function download(address: string, policy: MediaPolicy, signal: AbortSignal | undefined): Promise<LoadedMedia> {
  const url = parse(address);
  const loaded = await policy.load?.(url);
  if (loaded !== undefined) return limited(loaded, policy);
  const timeoutMs = policy.timeoutMs ?? TIMEOUT_MS;
  const timer = new AbortController();
  const timeout = timeoutMs < 2 ** 31 ? setTimeout(() => timer.abort(slow(url, timeoutMs)), timeoutMs) : undefined;
  const both = signal === undefined ? timer.signal : AbortSignal.any([signal, timer.signal]);
  try {
    return await read(await follow(url, policy, both), policy);
  } catch (error) {
    if (both.aborted) throw both.reason;
    if (AgentScopeError.is(error)) throw error;
    throw new AgentScopeError('model/network', `A file at ${url.host} could not be downloaded. Check the address.`, { details: { provider: 'media', retryable: true, host: url.host }, cause: error });
  } finally {
    clearTimeout(timeout);
  }
}

function parse(address: string): URL {
  if (URL.canParse(address)) return new URL(address);
  throw blocked('', 'its address is not an absolute URL');
}

async function follow(start: URL, policy: MediaPolicy, signal: AbortSignal): Promise<Response> {
  const fetch = policy.fetch ?? globalThis.fetch;
  let url = start;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    await judge(url, policy);
    const response = await fetch(url.href, { redirect: 'manual', signal, credentials: 'omit' });
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      url = new URL(location, url);
      continue;
    }
    if (response.type === 'opaqueredirect') throw blocked(url.host, 'it redirects, and this platform does not say where to');
    if (!response.ok) throw await failed(url, response);
    return response;
  }
  throw blocked(url.host, `it redirects more than ${MAX_REDIRECTS} times`);
}

async function judge(url: URL, { allowPrivate = false, allowedHosts = [] }: MediaPolicy): Promise<void> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw blocked(url.host, `"${url.protocol}" is not downloaded (option "media.load" can)`);
  if (allowPrivate || allowedHosts.includes(url.host) || allowedHosts.includes(url.hostname)) return;
  const isPrivate = isPrivateHost(url.hostname) || (await addressesOf(url.hostname.replace(/^\[|\]$/g, ''))).some(isPrivateAddress);
  if (isPrivate) throw blocked(url.host, 'its address belongs to a private network');
}

async function read(response: Response, policy: MediaPolicy): Promise<LoadedMedia> {
  const limit = policy.maxBytes ?? MAX_BYTES;
  const mediaType = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  const reader = response.body?.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (Number(response.headers.get('content-length') ?? 0) > limit) {
    await reader?.cancel();
    throw tooLarge(limit);
  }
  for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) {
    size += piece.value.length;
    pieces.push(piece.value);
    if (size <= limit) continue;
    await reader?.cancel();
    throw tooLarge(limit);
  }
  return { bytes: joined(pieces, size), ...(mediaType === undefined || mediaType === '' ? {} : { mediaType }) };
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function limited(loaded: LoadedMedia, { maxBytes = MAX_BYTES }: MediaPolicy): LoadedMedia {
  if (loaded.bytes.length > maxBytes) throw tooLarge(maxBytes);
  return loaded;
}

async function failed(url: URL, response: Response): Promise<AgentScopeError> {
  await response.body?.cancel();
  const details = { provider: 'media', retryable: response.status >= 500, status: response.status, host: url.host };
  return new AgentScopeError('model/network', `A file at ${url.host} could not be downloaded (HTTP ${response.status}). Check the address.`, { details });
}

function blocked(host: string, why: string): AgentScopeError {
  return new AgentScopeError('media/blocked', `A file${host === '' ? '' : ` at ${host}`} was not downloaded: ${why}. The option "media" of the model says what may be.`, { details: { host } });
}

function tooLarge(limitBytes: number): AgentScopeError {
  return new AgentScopeError('media/too-large', `A file is larger than ${limitBytes} bytes (option "media.maxBytes" of the model).`, { details: { limitBytes } });
}

function slow(url: URL, timeoutMs: number): AgentScopeError {
  return new AgentScopeError('model/timeout', `A file at ${url.host} did not come within ${timeoutMs} ms (option "media.timeoutMs" of the model).`, { details: { provider: 'media', retryable: true } });
}
