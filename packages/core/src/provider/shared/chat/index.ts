export { ChatFormatter } from './formatter.ts';
export type { ChatFormatterOptions, ChatWireMessage } from './formatter.ts';
export { chatStreams, chatUrl } from './model.ts';
export type { ChatOptions, ChatServer } from './model.ts';
export { COMPATIBLE } from './profile.ts';
export type { ChatProfile } from './profile.ts';
export { requestText } from './request.ts';
export { createDecoder } from './response.ts';
export { strictSchema } from './strict-schema.ts';
