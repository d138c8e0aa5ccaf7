import { AgentScopeError } from '../../../error/index.ts';
import { toolNames, wellFormedJson } from '../../../formatter/index.ts';
import type { NameMap } from '../../../formatter/index.ts';
import type { GenerateOptions, ModelRequest, ToolChoice } from '../../../model/index.ts';
import { listText } from '../index.ts';
import type { CompatibleProfile, OptionName } from './profile.ts';
import { strictSchema } from './strict-schema.ts';
import { isThinking, thinkingFields } from './thinking.ts';
import { toolSchema } from './tool-schema.ts';
import type { Warn } from './warnings.ts';

export interface RequestBody {
  readonly modelName: string;
  readonly stream: boolean;
  /** The rules for this model. */
  readonly profile: CompatibleProfile;
  /** As the option of the model says. */
  readonly strict?: boolean | undefined;
  /** As the formatter gave them. */
  readonly messages: unknown;
  readonly warn?: Warn;
}

/**
 * The JSON text of a Chat Completions request. The messages stand last, so the text of one request, up to its last message, is the
 * beginning of the next one's: what prompt caches and we ourselves re-use.
 *
 * @throws AgentScopeError `config/invalid` for an option that the profile refuses
 */
export function requestText(request: ModelRequest, { modelName, stream, profile, strict, messages, warn = silent }: RequestBody): string {
  const options = request.options ?? {};
  const head: Record<string, unknown> = {
    model: modelName,
    stream,
    ...(stream && profile.usageInStream ? { stream_options: { include_usage: true } } : {}),
    ...profile.extraBody,
    ...sampling(options, profile, warn),
    ...thinkingFields(options, profile, warn),
    ...toolFields(request, { profile, strict: strict === true, warn }),
    ...formatField(request, profile, strict ?? profile.strict),
    ...options.additionalBodyParams,
  };
  const text = wellFormedJson(JSON.stringify(head));
  return 'messages' in head ? text : `${text.slice(0, -1)},"messages":${messagesText(withSchema(messages, request, profile))}}`;
}

function silent(): void {}

const FIELDS: readonly (readonly [Exclude<OptionName, 'parallelToolCalls'>, string])[] = [
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['topK', 'top_k'],
  ['seed', 'seed'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['presencePenalty', 'presence_penalty'],
];

function sampling(options: GenerateOptions, profile: CompatibleProfile, warn: Warn): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, field] of FIELDS) {
    const value = allowed(name, options[name], { profile, warn });
    if (value !== undefined) fields[field] = value;
  }
  if (options.maxTokens !== undefined) fields[profile.lengthField] = options.maxTokens;
  return fields;
}

function allowed<V extends number | boolean>(name: OptionName, value: V | undefined, { profile, warn }: { profile: CompatibleProfile; warn: Warn }): V | number | undefined {
  const rule = profile.options[name];
  if (value === undefined || rule === true) return value;
  if (rule === 'refused') throw new AgentScopeError('config/invalid', `The option "${name}" is refused by the profile "${profile.name}". Leave it out.`, { details: { option: name } });
  if (rule === false || typeof value !== 'number') {
    warn(`${name} is left out: this model does not take it`);
    return undefined;
  }
  const moved = Math.min(Math.max(value, rule[0]), rule[1]);
  if (moved !== value) warn(`${name} ${value} is sent as ${moved}: the range is ${rule[0]} to ${rule[1]}`);
  return moved;
}

interface ToolRules {
  readonly profile: CompatibleProfile;
  readonly strict: boolean;
  readonly warn: Warn;
}

/** Nothing at all without tools: an empty list, a choice or the parallel switch alone are refused. */
function toolFields({ tools, toolChoice, options = {} }: ModelRequest, { profile, strict, warn }: ToolRules): Record<string, unknown> {
  if (tools === undefined || tools.length === 0) return {};
  if (toolChoice === 'none' && profile.noTool === 'leave out') return {};
  const names = toolNames(tools, profile.reservedNames);
  return {
    tools: toolsField(tools, names, profile, strict),
    tool_choice: choiceField(named(toolChoice, tools, profile), { names, profile, thinks: isThinking(options, profile), warn }),
    parallel_tool_calls: allowed('parallelToolCalls', options.parallelToolCalls, { profile, warn }),
  };
}

const toolFieldsOf = new WeakMap<NonNullable<ModelRequest['tools']>, Map<string, readonly object[]>>();

/** A list of tools is the same object as long as nothing is added, so this is made once for each dialect. */
// oxlint-disable-next-line max-params -- the list, and three things its form hangs on
function toolsField(tools: NonNullable<ModelRequest['tools']>, names: NameMap, { schema, reservedNames }: CompatibleProfile, strict: boolean): readonly object[] {
  const dialect = `${strict} ${schema.closedObjects} ${schema.typeBesideAnyOf} ${schema.tupleItems} ${schema.definitions} ${reservedNames.join()}`;
  const made = toolFieldsOf.get(tools) ?? new Map<string, readonly object[]>();
  toolFieldsOf.set(tools, made);
  let field = made.get(dialect);
  if (field === undefined) {
    field = tools.map(({ name, description, inputSchema }) => {
      const closed = strict ? strictSchema(inputSchema) : undefined;
      return { type: 'function', function: { name: names.toWire(name), description, parameters: closed ?? toolSchema(inputSchema, schema), ...(closed === undefined ? {} : { strict: true }) } };
    });
    made.set(dialect, field);
  }
  return field;
}

interface ChoiceRules {
  readonly names: NameMap;
  readonly profile: CompatibleProfile;
  readonly thinks: boolean;
  readonly warn: Warn;
}

/** Any tool, where there is one, is that one. */
function named(choice: ToolChoice | undefined, tools: NonNullable<ModelRequest['tools']>, { toolChoice }: CompatibleProfile): ToolChoice | undefined {
  const [only] = tools;
  return choice === 'required' && toolChoice === 'named, not thinking' && only !== undefined && tools.length === 1 ? { tool: only.name } : choice;
}

/** A forced choice goes where it is taken, else the model chooses. */
function choiceField(choice: ToolChoice | undefined, { names, profile: { toolChoice }, thinks, warn }: ChoiceRules): unknown {
  const isForced = choice === 'required' || typeof choice === 'object';
  if (isForced && (toolChoice === 'auto' || toolChoice === 'never' || (toolChoice === 'named, not thinking' && choice === 'required') || (toolChoice.endsWith('not thinking') && thinks))) {
    warn(`a forced tool choice is left to the model: ${toolChoice.endsWith('not thinking') && thinks ? 'it cannot be forced while it thinks' : 'it cannot be forced'}`);
    return toolChoice === 'never' ? undefined : 'auto';
  }
  if (toolChoice === 'never') return undefined;
  return typeof choice === 'object' ? { type: 'function', function: { name: names.toWire(choice.tool) } } : choice;
}

function formatField({ responseFormat }: ModelRequest, profile: CompatibleProfile, strict: boolean): Record<string, unknown> {
  if (responseFormat === undefined || profile.format === 'none') return {};
  if (profile.format === 'object') return { response_format: { type: 'json_object' } };
  const name = responseFormat.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'answer';
  const closed = strict ? strictSchema(responseFormat.schema) : undefined;
  const format = closed === undefined ? { name, schema: toolSchema(responseFormat.schema, profile.schema) } : { name, schema: closed, strict: true };
  return { response_format: { type: 'json_schema', json_schema: format } };
}

/** Where the server takes no schema, the model is told it, last; "JSON" has to be said where JSON is asked for. */
function withSchema(messages: unknown, { responseFormat }: ModelRequest, { format }: CompatibleProfile): unknown {
  if (responseFormat === undefined || format === 'schema' || !Array.isArray(messages)) return messages;
  const content = `Answer with one JSON object and nothing else. It obeys this JSON Schema:\n${wellFormedJson(JSON.stringify(responseFormat.schema))}`;
  return [...(messages as unknown[]), { role: 'user', content }];
}

function messagesText(messages: unknown): string {
  return Array.isArray(messages) ? listText(messages) : JSON.stringify(messages);
}
