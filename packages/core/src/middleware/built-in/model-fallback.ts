import { AgentScopeError } from '../../error/index.ts';
import { createEvent } from '../../event/index.ts';
import { ModelRegistry } from '../../model/index.ts';
import type { ChatModel, ModelId } from '../../model/index.ts';
import type { Middleware } from '../middleware.ts';

export interface ModelFallbackOptions {
  /** Asked in this order when the one before fails: models, or ids like `'openai:gpt-5.5'`, resolved when first needed. */
  readonly models: readonly (ChatModel | ModelId)[];
  /** Whether another model is worth asking. Default: every `model/…` error but those another model would repeat: `model/bad-request`, `model/refused`, `model/context-overflow`. */
  readonly when?: ((error: AgentScopeError) => boolean) | undefined;
}

const SAME_ELSEWHERE: ReadonlySet<string> = new Set(['model/bad-request', 'model/refused', 'model/context-overflow']);

/**
 * Asks another model when one fails, also in the middle of its answer: what it had said is taken back (MODEL_CALL_END with `discarded`,
 * WIRE F24), its usage stays counted, and the call keeps its number. `withFallback` makes one model of several and never gives up an answer
 * that has begun. A `CUSTOM` event `model_fallback` says which model is asked, and after which error. An abort asks nobody.
 */
export function modelFallback({ models, when = isWorthIt }: ModelFallbackOptions): Middleware {
  if (!Array.isArray(models) || models.length === 0) throw new AgentScopeError('config/invalid', 'modelFallback needs at least one model to fall back to.', { details: { option: 'models' } });
  return {
    name: 'model-fallback',
    async *onModelCall(input, next, { replyId, signal }) {
      for (let at = -1; ; at++) {
        const given = models[at];
        const model = given === undefined ? input.model : await resolved(given);
        try {
          return yield* next({ ...input, model });
        } catch (error) {
          if (signal.aborted || at + 1 >= models.length || !AgentScopeError.is(error) || !when(error)) throw error;
          yield createEvent('CUSTOM', { replyId, name: 'model_fallback', value: { from: model.modelName, to: nameOf(models[at + 1]), error: error.code } });
        }
      }
    },
  };
}

function isWorthIt({ code }: AgentScopeError): boolean {
  return code.startsWith('model/') && !SAME_ELSEWHERE.has(code);
}

async function resolved(model: ChatModel | ModelId): Promise<ChatModel> {
  return typeof model === 'string' ? ModelRegistry.resolve(model) : model;
}

function nameOf(model: ChatModel | ModelId | undefined): string {
  return typeof model === 'object' ? model.modelName : String(model);
}
