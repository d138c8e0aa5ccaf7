export { MiniMaxFormatter, MiniMaxMultiAgentFormatter } from './formatter.ts';
export { MiniMaxChatModel } from './model.ts';
export type { MiniMaxChatModelOptions } from './model.ts';
export { listMiniMaxModels } from './models.ts';
export type { ChatWireMessage } from '../shared/chat/index.ts';
