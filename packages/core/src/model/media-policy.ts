import type { Awaitable } from '../internal/index.ts';

/** Bytes a loader found, with their media type where it knows it. */
export interface LoadedMedia {
  readonly bytes: Uint8Array;
  readonly mediaType?: string;
}

/**
 * What may be downloaded for a provider that wants bytes where a message has an address. An address may come from a model or from a
 * tool, so fetching it is a way into your network: private addresses are refused unless allowed here.
 */
export interface MediaPolicy {
  /** Bytes of one download. Default 20 000 000. Past it: `media/too-large`. */
  readonly maxBytes?: number;
  /** Milliseconds for one download, redirects included. Default 30 000. Past it: `model/timeout`. */
  readonly timeoutMs?: number;
  /** Let addresses of private networks and of this machine through. Default false: `media/blocked`. */
  readonly allowPrivate?: boolean;
  /** Hosts (`cdn.example.com`, `10.0.0.5:8080`) that are let through whatever their address. */
  readonly allowedHosts?: readonly string[];
  /** What becomes of media that cannot be had: the model call fails (`'error'`, the default), or the model reads a note in their place. */
  readonly onFailure?: 'error' | 'note';
  /** Asked first, for every address: for `file:`, `s3:` and whatever else you trust. Nothing: the address is downloaded if it is http or https. */
  readonly load?: (url: URL) => Awaitable<LoadedMedia | undefined>;
  /** Downloads. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}
