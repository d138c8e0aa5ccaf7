import { collectResponse } from './collect.ts';
import type { ChatModel } from './model.ts';

type Face = Pick<ChatModel, 'provider' | 'modelName'> & { readonly contextWindow?: number | undefined; readonly countTokens?: ChatModel['countTokens'] | undefined; readonly nativeStructuredOutput?: ChatModel['nativeStructuredOutput'] };

/** A model from its stream: `call` collects it. */
export function modelOf(face: Face, stream: ChatModel['stream']): ChatModel {
  const { provider, modelName, contextWindow } = face;
  const countTokens = face.countTokens?.bind(face);
  return {
    provider,
    modelName,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    get nativeStructuredOutput() {
      return face.nativeStructuredOutput;
    },
    stream,
    call: (request, options) => collectResponse(stream(request, options)),
    ...(countTokens === undefined ? {} : { countTokens }),
  };
}
