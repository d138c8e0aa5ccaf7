import { cleanSchema, readCacheControl, toolNames, wellFormedJson } from '../../formatter/index.ts';
import type { NameMap } from '../../formatter/index.ts';
import { isObject } from '../../internal/index.ts';
import type { GenerateOptions, ModelRequest, ToolChoice } from '../../model/index.ts';
import { listText } from '../shared/index.ts';
import { withCacheMarks } from './cache-marks.ts';
import type { DashScopeChatModelOptions } from './options.ts';
import { profileFor, RESERVED_NAMES } from './profile.ts';
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

export function settingsOf({ modelName, stream = true, enableThinking, preserveThinking, enableSearch, incrementalOutput }: DashScopeChatModelOptions): RequestSettings {
  return { modelName, stream, enableThinking, preserveThinking, enableSearch, incrementalOutput };
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
  return `${head.slice(0, -2)}${Object.keys(given).length === 0 ? '' : ','}"messages":${Array.isArray(wire) ? messagesText(wire as readonly DashScopeWireMessage[], request, settings) : JSON.stringify(wire)}}}`;
}

function messagesText(wire: readonly DashScopeWireMessage[], request: ModelRequest, settings: RequestSettings): string {
  return listText(withCacheMarks(withSchema(wire, request, settings), readCacheControl(request.options?.cacheControl) !== undefined));
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
    ...(isForced(request) && choiceFor(request, settings) === 'auto' ? ['toolChoice'] : []),
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
    response_format: on ? undefined : formatField(request, settings),
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

/** Only the newest models take a schema; the others are told it, and asked for JSON. */
function formatField({ responseFormat }: ModelRequest, { modelName }: RequestSettings): object | undefined {
  if (responseFormat === undefined) return undefined;
  if (profileFor(modelName).structured === false) return { type: 'json_object' };
  const name = responseFormat.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'answer';
  return { type: 'json_schema', json_schema: { name, schema: cleanSchema(responseFormat.schema, {}) } };
}

/** The schema where no member holds it, last: "JSON" has to be said where JSON is asked for. */
function withSchema(messages: readonly DashScopeWireMessage[], request: ModelRequest, settings: RequestSettings): readonly DashScopeWireMessage[] {
  const { responseFormat } = request;
  if (responseFormat === undefined || profileFor(settings.modelName).structured !== false || thinkingOf(request, settings).on) return messages;
  const text = `Answer with one JSON object and nothing else. It obeys this JSON Schema:\n${wellFormedJson(JSON.stringify(responseFormat.schema))}`;
  return [...messages, { role: 'user', content: isInParts(messages) ? [{ text }] : text }];
}

/** Contents are lists, which the multimodal endpoint takes, and no texts. */
export function isInParts(wire: unknown): boolean {
  return Array.isArray(wire) && wire.some((message: { readonly content?: unknown } | null) => Array.isArray(message?.content));
}

/** Nothing at all without tools: an empty list, a choice or the parallel switch alone are refused. */
function toolFields(request: ModelRequest, settings: RequestSettings): Record<string, unknown> {
  const { tools, options } = request;
  if (tools === undefined || tools.length === 0) return {};
  const names = toolNames(tools, RESERVED_NAMES);
  return { tools: toolsField(tools, names), tool_choice: choiceField(choiceFor(request, settings), names), parallel_tool_calls: options?.parallelToolCalls };
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

/** The choice as far as DashScope has a word for it: there is no `required`, so of one tool it names that; a model that thinks cannot be forced at all. */
export function choiceFor(request: ModelRequest, settings: ThinkingSettings): ToolChoice | undefined {
  const { tools = [], toolChoice } = request;
  if (!isForced(request)) return toolChoice;
  const [only] = tools;
  const name = typeof toolChoice === 'object' ? toolChoice.tool : tools.length === 1 ? only?.name : undefined;
  return name === undefined || !tools.some((tool) => tool.name === name) || thinkingOf(request, settings).on ? 'auto' : { tool: name };
}

function choiceField(choice: ToolChoice | undefined, names: NameMap): unknown {
  return typeof choice === 'object' ? { type: 'function', function: { name: names.toWire(choice.tool) } } : choice;
}
