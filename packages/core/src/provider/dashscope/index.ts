export { DashScopeTextEmbedding } from './embedding.ts';
export type { DashScopeTextEmbeddingOptions } from './embedding.ts';
export { DashScopeChatFormatter, DashScopeMultiAgentFormatter } from './formatter.ts';
export type { DashScopeFormatterOptions } from './formatter.ts';
export { DashScopeChatModel } from './model.ts';
export { listDashScopeModels } from './models.ts';
export type { DashScopeChatModelOptions } from './options.ts';
export type { DashScopeMediaKind, DashScopeReplay } from './profile.ts';
export type { DashScopePart, DashScopeWireMessage } from './wire.ts';
