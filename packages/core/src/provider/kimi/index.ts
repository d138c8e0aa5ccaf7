export { KimiFormatter, KimiMultiAgentFormatter } from './formatter.ts';
export { KimiChatModel } from './model.ts';
export type { KimiChatModelOptions } from './model.ts';
export { listKimiModels } from './models.ts';
export type { ChatWireMessage } from '../shared/chat/index.ts';
