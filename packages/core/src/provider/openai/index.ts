export { OpenAIChatFormatter } from './formatter.ts';
export type { OpenAIFormatterOptions, OpenAIWireMessage } from './formatter.ts';
export { OpenAIChatModel } from './model.ts';
export type { OpenAIChatModelOptions } from './model.ts';
export type { OpenAIProfileName } from './profile.ts';
