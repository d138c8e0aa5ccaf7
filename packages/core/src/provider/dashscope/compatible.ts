import type { ModelRequest } from '../../model/index.ts';
import { createChatModel, createWarn } from '../shared/chat/index.ts';
import type { HttpStreams } from '../shared/index.ts';
import { compatibleBase, KEY_VARIABLE, URL_VARIABLE } from './address.ts';
import { compatibleProfile } from './compatible-profile.ts';
import { withDashScopeErrors } from './errors.ts';
import { DashScopeChatFormatter } from './formatter.ts';
import type { DashScopeChatModelOptions } from './options.ts';
import { choiceFor, ignoredIn, settingsOf } from './request.ts';
import type { RequestSettings } from './request.ts';
import { isStreamed, thinkingOf } from './thinking.ts';

/** Calls in the protocol OpenAI's clients speak: a request is put into words that protocol has, with DashScope's own settings beside them. */
export function compatibleStreams(options: DashScopeChatModelOptions, provider: string): HttpStreams {
  const { modelName, multimodal, input, preserveThinking, defaultOptions, formatter } = options;
  const settings = settingsOf(options);
  const wishes = { multimodal, input, replay: preserveThinking === true ? 'all' : undefined } as const;
  const profile = compatibleProfile(modelName, wishes);
  const fetch = withDashScopeErrors(() => options.fetch ?? globalThis.fetch, { provider, modelName });
  const common = { ...options, defaultOptions: {}, fetch, formatter: formatter ?? new DashScopeChatFormatter({ ...wishes, compatible: true }) };
  const streamsOf = (stream: boolean): HttpStreams => {
    let streams: HttpStreams | undefined; // the environment is read at the first call
    return (request, callOptions) => {
      streams ??= createChatModel({ ...common, stream, baseUrl: compatibleBase(options.baseUrl) }, { provider, keyVariables: [KEY_VARIABLE], urlVariable: URL_VARIABLE, publicUrl: '', profileFor: () => profile }).stream as HttpStreams;
      return streams(request, callOptions);
    };
  };
  const warn = createWarn(provider, options.onWarning);
  const ways = { streamed: streamsOf(true), whole: streamsOf(false) };
  return (request, callOptions) => {
    const full = { ...request, options: { ...defaultOptions, ...request.options } };
    for (const name of ignoredIn(full, settings)) if (name !== 'frequencyPenalty') warn(`${name} is left out: there is no word for it, or not beside what else is asked for`);
    return ways[isStreamed(full, settings) ? 'streamed' : 'whole'](inWords(full, settings), callOptions);
  };
}

/** What that protocol has no member for stands in the body by DashScope's names; what the caller put there wins. */
function inWords(request: ModelRequest, settings: RequestSettings): ModelRequest {
  const { thinkingBudget, reasoningEffort, additionalBodyParams, ...options } = request.options ?? {};
  const { asked, on } = thinkingOf(request, settings);
  const own = {
    ...(asked === undefined ? {} : { enable_thinking: asked }),
    ...(asked === true && thinkingBudget !== undefined && thinkingBudget > 0 ? { thinking_budget: thinkingBudget } : {}),
    ...(asked === true && reasoningEffort !== undefined ? { reasoning_effort: reasoningEffort } : {}),
    ...(settings.preserveThinking === undefined ? {} : { preserve_thinking: settings.preserveThinking }),
    ...(settings.enableSearch === undefined ? {} : { enable_search: settings.enableSearch }),
  };
  return { ...request, toolChoice: choiceFor(request, settings), responseFormat: on ? undefined : request.responseFormat, options: { ...options, additionalBodyParams: { ...own, ...additionalBodyParams } } };
}
