export { OpenAIResponsesFormatter } from './formatter.ts';
export type { OpenAIResponsesFormatterOptions, OpenAIResponsesItem } from './formatter.ts';
export { OpenAIResponsesModel } from './model.ts';
export type { OpenAIResponsesModelOptions } from './model.ts';
