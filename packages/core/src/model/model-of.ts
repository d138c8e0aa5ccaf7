import { collectResponse } from './collect.ts';
import type { ChatModel } from './model.ts';

/** A model from its stream: `call` collects it. */
export function modelOf({ provider, modelName, contextWindow }: Pick<ChatModel, 'provider' | 'modelName'> & { readonly contextWindow?: number | undefined }, stream: ChatModel['stream']): ChatModel {
  return {
    provider,
    modelName,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    stream,
    call: (request, options) => collectResponse(stream(request, options)),
  };
}
