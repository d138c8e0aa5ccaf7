import { cleanSchema, toolNames, wellFormedJson } from '../../formatter/index.ts';
import { isObject } from '../../internal/index.ts';
import type { GenerateOptions, ModelRequest, ToolSchema } from '../../model/index.ts';
import { listText } from '../shared/index.ts';
import { thinkField } from './think.ts';
import type { OllamaThink } from './think.ts';

export interface RequestBody {
  readonly modelName: string;
  readonly stream: boolean;
  readonly keepAlive?: string | number | undefined;
  readonly numCtx?: number | undefined;
  readonly think?: OllamaThink | undefined;
  /** As the formatter gave them. */
  readonly messages: unknown;
}

/**
 * The JSON text of a request. The messages stand last, so the text of one request, up to its last message, is the beginning of the next
 * one's. Of `additionalBodyParams`, `options` is merged with ours, the rest replaces it.
 */
export function requestText(request: ModelRequest, { modelName, stream, keepAlive, numCtx, think, messages }: RequestBody): string {
  const given = request.options ?? {};
  const { options, ...open } = given.additionalBodyParams ?? {};
  const tuned = { ...sampling(given), num_ctx: numCtx, ...(isObject(options) ? options : {}) };
  const tools = offeredTools(request);
  const head: Record<string, unknown> = {
    model: modelName,
    stream,
    think: thinkField(given, modelName) ?? think,
    format: formatField(request, tools),
    keep_alive: keepAlive,
    ...(Object.values(tuned).some((value) => value !== undefined) ? { options: tuned } : {}),
    ...(tools.length === 0 ? {} : { tools: toolsField(request.tools ?? [], tools) }),
    ...open,
  };
  const text = wellFormedJson(JSON.stringify(head)).slice(0, -1);
  return 'messages' in head ? `${text}}` : `${text},"messages":${Array.isArray(messages) ? listText(messages) : JSON.stringify(messages)}}`;
}

/** What a request asks for and Ollama has no word for; said beside the answer. */
export function ignoredIn({ options = {}, tools = [], toolChoice, responseFormat }: ModelRequest): readonly string[] {
  const offered = offeredTools({ tools, toolChoice }).length > 0;
  return [
    ...(offered && (toolChoice === 'required' || typeof toolChoice === 'object') ? ['toolChoice'] : []),
    ...(offered && options.parallelToolCalls === false ? ['parallelToolCalls'] : []),
    ...(offered && responseFormat !== undefined ? ['responseFormat'] : []),
    ...((options.thinkingBudget ?? 0) > 0 ? ['thinkingBudget'] : []),
  ];
}

function sampling(options: GenerateOptions): Record<string, unknown> {
  return {
    num_predict: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    top_k: options.topK,
    seed: options.seed,
    frequency_penalty: options.frequencyPenalty,
    presence_penalty: options.presencePenalty,
  };
}

/** There is no tool choice here: none are not offered, and of one that must be called only that one is. */
function offeredTools({ tools = [], toolChoice }: Pick<ModelRequest, 'tools' | 'toolChoice'>): readonly ToolSchema[] {
  if (toolChoice === 'none') return [];
  return typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.tool) : tools;
}

const toolFieldsOf = new WeakMap<ToolSchema, Map<string, object>>();

/** A tool is the same object as long as it does not change, so its field is made once for each name it has on the wire. */
function toolsField(all: readonly ToolSchema[], offered: readonly ToolSchema[]): readonly object[] {
  const names = toolNames(all);
  return offered.map((tool) => {
    const wireName = names.toWire(tool.name);
    let fields = toolFieldsOf.get(tool);
    if (fields === undefined) toolFieldsOf.set(tool, (fields = new Map()));
    let field = fields.get(wireName);
    if (field === undefined) fields.set(wireName, (field = { type: 'function', function: { name: wireName, description: tool.description, parameters: cleanSchema(tool.inputSchema, {}) } }));
    return field;
  });
}

/** A format binds every word of the answer, so beside tools no tool could be called: there the answer is for the caller to check. */
function formatField({ responseFormat }: ModelRequest, offered: readonly ToolSchema[]): unknown {
  return responseFormat === undefined || offered.length > 0 ? undefined : cleanSchema(responseFormat.schema, {});
}
