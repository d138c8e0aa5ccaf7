export { brokenAnswer, FrameDecoder, requestIdOf } from './frame-decoder.ts';
export type { AnswerFacts, FrameReader } from './frame-decoder.ts';
export { httpStreams } from './http-stream.ts';
export type { FullRequest, HttpStreams } from './http-stream.ts';
export { beginningOf } from './http.ts';
export { frozenText, listText } from './json-text.ts';
export type { Decoder } from './read-stream.ts';
export { endpointUrl, readEnv } from './settings.ts';
export type { Key } from './settings.ts';
