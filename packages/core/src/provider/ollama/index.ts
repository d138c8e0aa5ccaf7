export { OllamaTextEmbedding } from './embedding.ts';
export type { OllamaTextEmbeddingOptions } from './embedding.ts';
export { OllamaChatFormatter, OllamaMultiAgentFormatter } from './formatter.ts';
export { OllamaChatModel } from './model.ts';
export type { OllamaChatModelOptions } from './model.ts';
export type { OllamaThink } from './think.ts';
export type { OllamaWireCall, OllamaWireMessage } from './wire.ts';
export { listOllamaModels } from './models.ts';
