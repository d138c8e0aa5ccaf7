export { DeepSeekFormatter, DeepSeekMultiAgentFormatter } from './formatter.ts';
export { DeepSeekChatModel } from './model.ts';
export type { DeepSeekChatModelOptions } from './model.ts';
export { listDeepSeekModels } from './models.ts';
export type { ChatWireMessage } from '../shared/chat/index.ts';
