export { OpenAIChatFormatter, OpenAIMultiAgentFormatter } from './formatter.ts';
export type { OpenAIFormatterOptions, OpenAIWireMessage } from './formatter.ts';
export { OpenAIChatModel } from './model.ts';
export type { OpenAIChatModelOptions } from './model.ts';
export type { OpenAIProfileName } from './profile.ts';
export { OpenAIResponsesFormatter, OpenAIResponsesModel, OpenAIResponsesMultiAgentFormatter } from './responses/index.ts';
export type { OpenAIResponsesFormatterOptions, OpenAIResponsesItem, OpenAIResponsesModelOptions } from './responses/index.ts';
export { listOpenAIModels } from './models.ts';
