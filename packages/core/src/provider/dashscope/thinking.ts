import type { ModelRequest } from '../../model/index.ts';
import { profileFor } from './profile.ts';

export interface ThinkingSettings {
  readonly modelName: string;
  /** As the option of the model says. */
  readonly stream: boolean;
  readonly enableThinking?: boolean | undefined;
}

/** What a call says about thinking, worked out from everything that bears on it. */
export interface Thinking {
  /** What stands in the request; nothing where the model decides. */
  readonly asked: boolean | undefined;
  /** The model thinks, as far as is known: it may not be forced to call a tool then. */
  readonly on: boolean;
  /** Options that could not be followed. */
  readonly ignored: readonly string[];
}

/**
 * A budget or an effort of the call wins over the option of the model. An answer in a schema is not thought about, since DashScope
 * knows one or the other; a model that always thinks is not asked not to, and keeps to no schema.
 */
export function thinkingOf({ options = {}, responseFormat }: Pick<ModelRequest, 'options' | 'responseFormat'>, { modelName, stream, enableThinking }: ThinkingSettings): Thinking {
  const { thinkingBudget, reasoningEffort } = options;
  const { alwaysThinks, thinksUnasked } = profileFor(modelName);
  const source = thinkingBudget !== undefined ? 'thinkingBudget' : reasoningEffort !== undefined ? 'reasoningEffort' : 'enableThinking';
  const wanted = thinkingBudget !== undefined ? thinkingBudget !== 0 : reasoningEffort !== undefined ? reasoningEffort !== 'none' : enableThinking;
  if (alwaysThinks) return { asked: wanted === true ? true : undefined, on: true, ignored: [...(wanted === false ? [source] : []), ...(responseFormat === undefined ? [] : ['responseFormat'])] };
  const silenced = responseFormat !== undefined && (wanted === true || (wanted === undefined && thinksUnasked));
  const asked = silenced ? false : (wanted ?? (thinksUnasked && !stream ? false : undefined));
  return { asked, on: asked ?? thinksUnasked, ignored: silenced && wanted === true ? [source] : [] };
}

/** DashScope thinks in streams only, so a call that thinks is one. */
export function isStreamed(request: Pick<ModelRequest, 'options' | 'responseFormat'>, settings: ThinkingSettings): boolean {
  return settings.stream || thinkingOf(request, settings).on;
}
