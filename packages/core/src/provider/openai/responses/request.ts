import { cleanSchema, toolNames, wellFormedJson } from '../../../formatter/index.ts';
import type { NameMap } from '../../../formatter/index.ts';
import type { JsonSchema } from '../../../internal/index.ts';
import type { GenerateOptions, ModelRequest, ToolChoice } from '../../../model/index.ts';
import { listText } from '../../shared/index.ts';
import { strictSchema } from '../../shared/chat/index.ts';

export interface RequestBody {
  readonly modelName: string;
  readonly stream: boolean;
  readonly store: boolean;
  readonly reasoningSummary?: string | undefined;
  /** Strict schemas, where a schema can be strict. */
  readonly strict: { readonly tools: boolean; readonly format: boolean };
  /** As the formatter gave them. */
  readonly input: unknown;
}

/**
 * The JSON text of a Responses request. The input stands last, so the text of one request, up to its last item, is the beginning of the
 * next one's. Not stored unless asked for: what a stored answer would have kept comes encrypted.
 */
export function requestText(request: ModelRequest, { modelName, stream, store, reasoningSummary, strict, input }: RequestBody): string {
  const options = request.options ?? {};
  const head: Record<string, unknown> = {
    model: modelName,
    stream,
    store,
    include: !store && reasons(modelName) ? ['reasoning.encrypted_content'] : undefined,
    ...sampling(options, reasoningSummary),
    ...toolFields(request, strict.tools),
    ...formatField(request, strict.format),
    ...options.additionalBodyParams,
  };
  const text = wellFormedJson(JSON.stringify(head));
  if ('input' in head) return text;
  return `${text.slice(0, -1)},"input":${Array.isArray(input) ? listText(input as readonly unknown[]) : JSON.stringify(input)}}`;
}

/** OpenAI refuses `include` for models that do not reason; of others it may be asked. */
function reasons(modelName: string): boolean {
  return !/^(?:ft:)?(?:gpt-3|gpt-4|chatgpt-|gpt-5[^:]*-chat)/.test(modelName);
}

/** The API has no `stop`, no penalties and no seed. */
function sampling(options: GenerateOptions, summary: string | undefined): Record<string, unknown> {
  const { reasoningEffort: effort } = options;
  return {
    max_output_tokens: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    reasoning: effort === undefined && summary === undefined ? undefined : { effort, summary },
  };
}

/** Nothing at all without tools. */
function toolFields({ tools, toolChoice, options }: ModelRequest, strict: boolean): Record<string, unknown> {
  if (tools === undefined || tools.length === 0) return {};
  const names = toolNames(tools);
  return { tools: toolsField(tools, names, strict), tool_choice: choiceField(toolChoice, names), parallel_tool_calls: options?.parallelToolCalls };
}

type Tools = NonNullable<ModelRequest['tools']>;
const toolFieldsOf = { strict: new WeakMap<Tools, readonly object[]>(), loose: new WeakMap<Tools, readonly object[]>() };

/** A list of tools is the same object as long as nothing is added, so this is made once. `strict` is always said: left out it may be true. */
function toolsField(tools: Tools, names: NameMap, strict: boolean): readonly object[] {
  const made = toolFieldsOf[strict ? 'strict' : 'loose'];
  let field = made.get(tools);
  if (field === undefined) {
    field = tools.map(({ name, description, inputSchema }) => {
      const closed = strict ? strictSchema(inputSchema) : undefined;
      return { type: 'function', name: names.toWire(name), description, parameters: closed ?? looseSchema(inputSchema), strict: closed !== undefined };
    });
    made.set(tools, field);
  }
  return field;
}

/** The root is an object, lists say what they hold: both are asked for. */
function looseSchema(schema: JsonSchema): JsonSchema {
  return cleanSchema(schema, { node: (node) => (node['type'] === 'array' && node['items'] === undefined ? { ...node, items: {} } : node) });
}

function choiceField(choice: ToolChoice | undefined, names: NameMap): unknown {
  return typeof choice === 'object' ? { type: 'function', name: names.toWire(choice.tool) } : choice;
}

function formatField({ responseFormat }: ModelRequest, strict: boolean): Record<string, unknown> {
  if (responseFormat === undefined) return {};
  const name = responseFormat.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'answer';
  const closed = strict ? strictSchema(responseFormat.schema) : undefined;
  return { text: { format: { type: 'json_schema', name, schema: closed ?? looseSchema(responseFormat.schema), strict: closed !== undefined } } };
}
