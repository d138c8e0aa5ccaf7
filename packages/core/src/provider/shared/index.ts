export { scopedStream } from './call-scope.ts';
export type { CallScope, ChunkSource, ScopeOptions } from './call-scope.ts';
export { networkError, send, timeoutError } from './http.ts';
export type { Sending } from './http.ts';
export { readChunks } from './read-stream.ts';
export type { Decoder, Reading } from './read-stream.ts';
export { endpointUrl, readEnv, readKey } from './settings.ts';
export type { Key } from './settings.ts';
