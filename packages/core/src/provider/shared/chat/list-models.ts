import type { ListModelsOptions, ModelCard } from '../../../model/index.ts';
import { endpointUrl, listModels, objectsIn, readEnv } from '../index.ts';
import { keyVariableOf } from './model.ts';
import type { ChatServer } from './model.ts';

/** The cards of a server, or with `live` its own list (`GET /models`). @throws AgentScopeError as a model call does */
export function listChatModels(server: ChatServer, cards: readonly Omit<ModelCard, 'provider'>[], options: ListModelsOptions): Promise<readonly ModelCard[]> {
  const { provider, urlVariable, publicUrl } = server;
  return listModels(
    {
      provider,
      variable: keyVariableOf(server),
      cards,
      request: ({ value }) => ({
        url: endpointUrl(options.credential?.baseUrl ?? readEnv(urlVariable) ?? publicUrl, '/models'),
        headers: value === undefined ? {} : { authorization: `Bearer ${value}` },
      }),
      read: (body) => ({ models: objectsIn(body['data']).flatMap(({ id }) => (typeof id === 'string' ? [{ modelName: id }] : [])) }),
    },
    options,
  );
}
