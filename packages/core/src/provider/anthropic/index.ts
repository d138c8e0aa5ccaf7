export { AnthropicChatFormatter, AnthropicMultiAgentFormatter } from './formatter.ts';
export type { AnthropicFormatterOptions } from './formatter.ts';
export { AnthropicChatModel } from './model.ts';
export type { AnthropicChatModelOptions } from './model.ts';
export type { AnthropicThinking } from './thinking.ts';
export type { AnthropicCacheMark, AnthropicWire, AnthropicWireBlock, AnthropicWireMessage } from './wire.ts';
export { listAnthropicModels } from './models.ts';
