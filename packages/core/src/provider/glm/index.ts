export { GLMFormatter, GLMMultiAgentFormatter } from './formatter.ts';
export { GLMChatModel } from './model.ts';
export type { GLMChatModelOptions } from './model.ts';
export { listGLMModels } from './models.ts';
export type { ChatWireMessage } from '../shared/chat/index.ts';
