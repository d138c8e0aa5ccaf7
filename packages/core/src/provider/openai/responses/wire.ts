/** An item of the Responses API's `input`. */
export type OpenAIResponsesItem = { readonly [member: string]: unknown };
