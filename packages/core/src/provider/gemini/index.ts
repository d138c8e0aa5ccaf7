export { GeminiChatFormatter } from './formatter.ts';
export type { GeminiContent, GeminiFormatterOptions, GeminiPart, GeminiWire } from './formatter.ts';
export { GeminiChatModel } from './model.ts';
export type { GeminiChatModelOptions } from './model.ts';
