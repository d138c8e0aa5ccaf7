export { XAIChatFormatter, XAIMultiAgentFormatter } from './formatter.ts';
export { XAIChatModel } from './model.ts';
export type { XAIChatModelOptions } from './model.ts';
export { listXAIModels } from './models.ts';
export type { ChatWireMessage } from '../shared/chat/index.ts';
