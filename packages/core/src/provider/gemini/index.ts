export { GeminiTextEmbedding } from './embedding.ts';
export type { GeminiTextEmbeddingOptions } from './embedding.ts';
export { GeminiChatFormatter, GeminiMultiAgentFormatter } from './formatter.ts';
export type { GeminiFormatterOptions } from './formatter.ts';
export { GeminiChatModel } from './model.ts';
export type { GeminiChatModelOptions } from './model.ts';
export type { GeminiContent, GeminiPart, GeminiWire } from './wire.ts';
export { listGeminiModels } from './models.ts';
