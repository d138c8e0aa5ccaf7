import { AgentScopeError } from '../error/index.ts';
import type { ChatModel, NativeStructuredOutput } from './model.ts';
import { modelOf } from './model-of.ts';
import { streamOfTries } from './stream-iterator.ts';

/**
 * The first model; where it fails before its first content with a `model/…` error, the next one, and so on. The last one's error is
 * thrown. An abort is never a reason to ask another model.
 *
 * An answer that has begun is never given up here: what a model said has become events, and only the agent's loop can take those back
 * (MODEL_CALL_END with `discarded`, WIRE F24). A failure after the first content is therefore the caller's to see, and asking again
 * makes a new model call.
 */
export function withFallback(models: readonly [ChatModel, ...ChatModel[]]): ChatModel {
  const [first] = models;
  const stream: ChatModel['stream'] = (request, { signal } = {}) =>
    streamOfTries({
      open: (number) => (models[number - 1] ?? first).stream(request, { signal }),
      async failed(error, number) {
        if (signal?.aborted === true) throw signal.reason;
        if (number >= models.length || !AgentScopeError.is(error) || !error.code.startsWith('model/')) throw error;
      },
      cancel() {},
    });
  const contextWindow = first.contextWindow === undefined ? undefined : Math.min(...models.map((model) => model.contextWindow ?? Infinity));
  return modelOf(
    {
      provider: first.provider,
      modelName: first.modelName,
      contextWindow,
      countTokens: first.countTokens?.bind(first),
      get nativeStructuredOutput() {
        return nativeOf(models);
      },
    },
    stream,
  );
}

/** What all of them can. */
function nativeOf(models: readonly ChatModel[]): NativeStructuredOutput {
  const known = models.map((model) => model.nativeStructuredOutput ?? false);
  return known.includes(false) ? false : known.includes('without-tools') ? 'without-tools' : true;
}
