import { cleanSchema, toolNames, wellFormedJson } from '../../../formatter/index.ts';
import type { NameMap } from '../../../formatter/index.ts';
import type { JsonSchema } from '../../../internal/index.ts';
import type { GenerateOptions, ModelRequest, ToolChoice } from '../../../model/index.ts';
import type { ChatProfile } from './profile.ts';
import { strictSchema } from './strict-schema.ts';

export interface RequestBody {
  readonly modelName: string;
  readonly stream: boolean;
  readonly profile: ChatProfile;
  /** As the option of the model says. */
  readonly strict?: boolean | undefined;
  /** As the formatter gave them. */
  readonly messages: unknown;
}

/**
 * The JSON text of a Chat Completions request. The messages stand last, so the text of one request, up to its last message, is the
 * beginning of the next one's: what prompt caches and we ourselves re-use.
 */
export function requestText(request: ModelRequest, { modelName, stream, profile, strict, messages }: RequestBody): string {
  const options = request.options ?? {};
  const head: Record<string, unknown> = {
    model: modelName,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    ...sampling(options, profile),
    ...toolFields(request, strict === true),
    ...formatField(request, strict ?? profile.strict),
    ...options.additionalBodyParams,
  };
  const text = wellFormedJson(JSON.stringify(head));
  return 'messages' in head ? text : `${text.slice(0, -1)},"messages":${messagesText(messages)}}`;
}

function sampling(options: GenerateOptions, { lengthField }: ChatProfile): Record<string, unknown> {
  return {
    temperature: options.temperature,
    top_p: options.topP,
    top_k: lengthField === 'max_tokens' ? options.topK : undefined,
    [lengthField]: options.maxTokens,
    seed: options.seed,
    frequency_penalty: options.frequencyPenalty,
    presence_penalty: options.presencePenalty,
    reasoning_effort: options.reasoningEffort,
  };
}

/** Nothing at all without tools: an empty list, a choice or the parallel switch alone are refused. */
function toolFields({ tools, toolChoice, options }: ModelRequest, strict: boolean): Record<string, unknown> {
  if (tools === undefined || tools.length === 0) return {};
  const names = toolNames(tools);
  return {
    tools: toolsField(tools, names, strict),
    tool_choice: choiceField(toolChoice, names),
    parallel_tool_calls: options?.parallelToolCalls,
  };
}

const toolFieldsOf = { strict: new WeakMap<NonNullable<ModelRequest['tools']>, readonly object[]>(), plain: new WeakMap<NonNullable<ModelRequest['tools']>, readonly object[]>() };

/** A list of tools is the same object as long as nothing is added, so this is made once. */
function toolsField(tools: NonNullable<ModelRequest['tools']>, names: NameMap, strict: boolean): readonly object[] {
  const made = toolFieldsOf[strict ? 'strict' : 'plain'];
  let field = made.get(tools);
  if (field === undefined) {
    field = tools.map(({ name, description, inputSchema }) => {
      const closed = strict ? strictSchema(inputSchema) : undefined;
      return { type: 'function', function: { name: names.toWire(name), description, parameters: closed ?? toolSchema(inputSchema), ...(closed === undefined ? {} : { strict: true }) } };
    });
    made.set(tools, field);
  }
  return field;
}

/** The root is an object, lists say what they hold: both are asked for. */
function toolSchema(schema: JsonSchema): JsonSchema {
  return cleanSchema(schema, { node: (node) => (node['type'] === 'array' && node['items'] === undefined ? { ...node, items: {} } : node) });
}

function choiceField(choice: ToolChoice | undefined, names: NameMap): unknown {
  return typeof choice === 'object' ? { type: 'function', function: { name: names.toWire(choice.tool) } } : choice;
}

function formatField({ responseFormat }: ModelRequest, strict: boolean): Record<string, unknown> {
  if (responseFormat === undefined) return {};
  const name = responseFormat.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'answer';
  const closed = strict ? strictSchema(responseFormat.schema) : undefined;
  const format = closed === undefined ? { name, schema: toolSchema(responseFormat.schema) } : { name, schema: closed, strict: true };
  return { response_format: { type: 'json_schema', json_schema: format } };
}

const texts = new WeakMap<object, string>();

/** A frozen message never changes, so its text is made once. */
function messagesText(messages: unknown): string {
  if (!Array.isArray(messages)) return JSON.stringify(messages);
  const parts: string[] = [];
  for (const message of messages as unknown[]) parts.push(textOf(message));
  return `[${parts.join(',')}]`;
}

function textOf(message: unknown): string {
  if (typeof message !== 'object' || message === null || !Object.isFrozen(message)) return JSON.stringify(message);
  let text = texts.get(message);
  if (text === undefined) texts.set(message, (text = JSON.stringify(message)));
  return text;
}
