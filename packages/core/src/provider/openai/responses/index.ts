export { OpenAIResponsesFormatter, OpenAIResponsesMultiAgentFormatter } from './formatter.ts';
export type { OpenAIResponsesFormatterOptions } from './formatter.ts';
export { OpenAIResponsesModel } from './model.ts';
export type { OpenAIResponsesModelOptions } from './model.ts';
export type { OpenAIResponsesItem } from './wire.ts';
