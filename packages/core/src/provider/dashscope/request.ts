import { cleanSchema, readCacheControl, toolNames, wellFormedJson } from '../../formatter/index.ts';
import type { NameMap } from '../../formatter/index.ts';
import { isObject } from '../../internal/index.ts';
import type { GenerateOptions, ModelRequest } from '../../model/index.ts';
import { listText } from '../shared/index.ts';
import { withCacheMarks } from './cache-marks.ts';
import { RESERVED_NAMES } from './profile.ts';
import { isStreamed, thinkingOf } from './thinking.ts';
import type { ThinkingSettings } from './thinking.ts';
import type { DashScopeWireMessage } from './wire.ts';

/** What a model says in every request. */
export interface RequestSettings extends ThinkingSettings {
  readonly preserveThinking?: boolean | undefined;
  readonly enableSearch?: boolean | undefined;
  /** Default true. */
  readonly incrementalOutput?: boolean | undefined;
}

/**
 * The JSON text of a request in DashScope's own protocol. The messages stand last, so the text of one request, up to its last message,
 * is the beginning of the next one's. Of `additionalBodyParams`, `input` and `parameters` are merged with ours, `model` replaces it,
 * and everything else goes among the parameters, where each setting of DashScope stands.
 */
export function requestText(request: ModelRequest, settings: RequestSettings, wire: unknown): string {
  const { input, model = settings.modelName } = request.options?.additionalBodyParams ?? {};
  const parameters = parametersOf(request, settings);
  const given = isObject(input) ? input : {};
  const head = wellFormedJson(JSON.stringify({ model, parameters, input: given }));
  if ('messages' in given) return head;
  const messages = Array.isArray(wire) ? listText(withCacheMarks(wire as readonly DashScopeWireMessage[], readCacheControl(request.options?.cacheControl) !== undefined)) : JSON.stringify(wire);
  return `${head.slice(0, -2)}${Object.keys(given).length === 0 ? '' : ','}"messages":${messages}}}`;
}

/** True where a stream of this request says only what is new; else each piece repeats everything so far. Known from the request, never guessed from an answer. */
export function isIncremental(request: ModelRequest, settings: RequestSettings): boolean {
  return parametersOf(request, settings)['incremental_output'] === true;
}

/** What a request asks for and DashScope has no word for, or not beside what else is asked for; said beside the answer. */
export function ignoredIn(request: ModelRequest, settings: RequestSettings): readonly string[] {
  return [
    ...thinkingOf(request, settings).ignored,
    ...(request.options?.frequencyPenalty === undefined ? [] : ['frequencyPenalty']),
    ...(isForced(request) && !isNamed(choiceOf(request, settings)) ? ['toolChoice'] : []),
  ];
}

function parametersOf(request: ModelRequest, settings: RequestSettings): Record<string, unknown> {
  const { options = {} } = request;
  const { parameters, input: _input, model: _model, ...open } = options.additionalBodyParams ?? {};
  const { asked, on } = thinkingOf(request, settings);
  return {
    result_format: 'message',
    incremental_output: isStreamed(request, settings) ? on || (settings.incrementalOutput ?? true) : undefined, // thoughts come in increments only
    ...sampling(options),
    enable_thinking: asked,
    thinking_budget: asked === true && (options.thinkingBudget ?? 0) > 0 ? options.thinkingBudget : undefined,
    reasoning_effort: asked === true ? options.reasoningEffort : undefined,
    preserve_thinking: settings.preserveThinking,
    enable_search: settings.enableSearch,
    ...toolFields(request, settings),
    response_format: on ? undefined : formatField(request),
    ...open,
    ...(isObject(parameters) ? parameters : {}),
  };
}

/** The bounds that DashScope leaves out become the nearest values it takes. */
function sampling({ temperature, topP, topK, maxTokens, seed, presencePenalty }: GenerateOptions): Record<string, unknown> {
  return {
    temperature: temperature === undefined ? undefined : Math.min(temperature, 1.99),
    top_p: topP === undefined ? undefined : Math.max(topP, 0.01),
    top_k: topK,
    max_tokens: maxTokens,
    seed,
    presence_penalty: presencePenalty,
  };
}

function formatField({ responseFormat }: ModelRequest): object | undefined {
  if (responseFormat === undefined) return undefined;
  const name = responseFormat.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'answer';
  return { type: 'json_schema', json_schema: { name, schema: cleanSchema(responseFormat.schema, {}) } };
}

/** Nothing at all without tools: an empty list, a choice or the parallel switch alone are refused. */
function toolFields(request: ModelRequest, settings: RequestSettings): Record<string, unknown> {
  const { tools, options } = request;
  if (tools === undefined || tools.length === 0) return {};
  return { tools: toolsField(tools, toolNames(tools, RESERVED_NAMES)), tool_choice: choiceOf(request, settings), parallel_tool_calls: options?.parallelToolCalls };
}

const toolFieldsOf = new WeakMap<NonNullable<ModelRequest['tools']>, readonly object[]>();

/** A list of tools is the same object as long as nothing is added, so this is made once. */
function toolsField(tools: NonNullable<ModelRequest['tools']>, names: NameMap): readonly object[] {
  let field = toolFieldsOf.get(tools);
  if (field === undefined) {
    field = tools.map(({ name, description, inputSchema }) => ({ type: 'function', function: { name: names.toWire(name), description, parameters: cleanSchema(inputSchema, {}) } }));
    toolFieldsOf.set(tools, field);
  }
  return field;
}

function isForced({ tools = [], toolChoice }: ModelRequest): boolean {
  return tools.length > 0 && (toolChoice === 'required' || typeof toolChoice === 'object');
}

function isNamed(choice: unknown): boolean {
  return isObject(choice);
}

/** There is no `required`, so of one tool it names that; a model that thinks cannot be forced at all. */
function choiceOf(request: ModelRequest, settings: RequestSettings): unknown {
  const { tools = [], toolChoice } = request;
  if (!isForced(request)) return toolChoice;
  const [only] = tools;
  const name = typeof toolChoice === 'object' ? toolChoice.tool : tools.length === 1 ? only?.name : undefined;
  if (name === undefined || !tools.some((tool) => tool.name === name) || thinkingOf(request, settings).on) return 'auto';
  return { type: 'function', function: { name: toolNames(tools, RESERVED_NAMES).toWire(name) } };
}
