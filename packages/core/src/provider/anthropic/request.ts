import { readCacheControl, toolNames, wellFormedJson } from '../../formatter/index.ts';
import { isObject } from '../../internal/index.ts';
import type { GenerateOptions, ModelRequest } from '../../model/index.ts';
import { listText } from '../shared/index.ts';
import { withCacheMarks } from './cache-marks.ts';
import { outputSchema, toolsField } from './schema.ts';
import { thinkingFields } from './thinking.ts';
import type { AnthropicThinking } from './thinking.ts';
import type { AnthropicWire } from './wire.ts';

export interface RequestBody {
  readonly modelName: string;
  readonly stream: boolean;
  readonly thinking: AnthropicThinking | undefined;
  /** As the formatter gave it: `system` and `messages`. */
  readonly wire: unknown;
}

/** Python's default; the API has none and refuses a request without the field. */
const MAX_TOKENS = 8192;

/**
 * The JSON text of a Messages request. The messages stand last, so the text of one request, up to its last message, is the beginning of
 * the next one's (with `cacheControl`: but for the marks, which move on).
 */
export function requestText(request: ModelRequest, { modelName, stream, thinking, wire }: RequestBody): string {
  const options = request.options ?? {};
  const { system, messages } = withCacheMarks(readWire(wire), readCacheControl(options.cacheControl));
  const thought = thinkingFields(options, thinking, messages);
  const isThinking = thought.thinking !== undefined && thought.thinking.type !== 'disabled';
  const config = { ...thought.output_config, ...formatField(request) };
  const head: Record<string, unknown> = {
    model: modelName,
    max_tokens: maxTokens(options, thought.thinking?.budget_tokens),
    stream,
    ...sampling(options, isThinking),
    ...(thought.thinking === undefined ? {} : { thinking: thought.thinking }),
    ...(Object.keys(config).length === 0 ? {} : { output_config: config }),
    ...toolFields(request, isThinking),
    ...(system.length === 0 ? {} : { system }),
    ...options.additionalBodyParams,
  };
  const text = JSON.stringify(head);
  return wellFormedJson('messages' in head ? text : `${text.slice(0, -1)},"messages":${listText(messages)}}`);
}

/** A formatter of the user's may give the messages alone. */
function readWire(wire: unknown): AnthropicWire {
  if (Array.isArray(wire)) return { system: [], messages: wire as AnthropicWire['messages'] };
  const { system, messages } = isObject(wire) ? wire : {};
  return {
    system: typeof system === 'string' ? [{ type: 'text', text: system }] : Array.isArray(system) ? (system as AnthropicWire['system']) : [],
    messages: Array.isArray(messages) ? (messages as AnthropicWire['messages']) : [],
  };
}

/** Thinking counts as output here: a budget that does not leave room for an answer comes on top. */
function maxTokens({ maxTokens: wanted = MAX_TOKENS }: GenerateOptions, budget = 0): number {
  return wanted > budget ? wanted : wanted + budget;
}

/** From 0 to 1; one of temperature and top_p, which newer models want; nearly nothing while thinking. */
function sampling({ temperature, topP, topK }: GenerateOptions, isThinking: boolean): Record<string, unknown> {
  if (isThinking) return topP !== undefined && topP >= 0.95 ? { top_p: Math.min(topP, 1) } : {};
  return {
    ...(temperature === undefined ? {} : { temperature: Math.min(Math.max(temperature, 0), 1) }),
    ...(topP === undefined || temperature !== undefined ? {} : { top_p: topP }),
    ...(topK === undefined ? {} : { top_k: topK }),
  };
}

/** Nothing at all without tools. A forced choice is refused while the model thinks, so it is left to the model then. */
function toolFields({ tools, toolChoice, options }: ModelRequest, isThinking: boolean): Record<string, unknown> {
  if (tools === undefined || tools.length === 0) return {};
  const names = toolNames(tools);
  const single = options?.parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  const field = { tools: toolsField(tools, names) };
  if (toolChoice === 'none') return { ...field, tool_choice: { type: 'none' } };
  const forced = isThinking ? undefined : typeof toolChoice === 'object' ? { type: 'tool', name: names.toWire(toolChoice.tool) } : toolChoice === 'required' ? { type: 'any' } : undefined;
  if (forced === undefined && toolChoice === undefined && options?.parallelToolCalls !== false) return field;
  return { ...field, tool_choice: { ...(forced ?? { type: 'auto' }), ...single } };
}

function formatField({ responseFormat }: ModelRequest): Record<string, unknown> {
  return responseFormat === undefined ? {} : { format: { type: 'json_schema', schema: outputSchema(responseFormat.schema) } };
}
