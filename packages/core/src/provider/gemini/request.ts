import { wellFormedJson } from '../../formatter/index.ts';
import { isObject } from '../../internal/index.ts';
import type { GenerateOptions, ModelRequest, ToolChoice } from '../../model/index.ts';
import { frozenText, listText } from '../shared/index.ts';
import { geminiNames } from './names.ts';
import type { GeminiNames } from './names.ts';
import { profileFor } from './profile.ts';
import type { GeminiProfile } from './profile.ts';
import { toGeminiSchema } from './schema.ts';

export interface RequestBody {
  readonly modelName: string;
  /** As the formatter gave it: `systemInstruction` and `contents`. */
  readonly wire: unknown;
}

/**
 * The JSON text of a request. The contents stand last, so the text of one request, up to its last content, is the beginning of the next
 * one's. Of `additionalBodyParams`, `generationConfig` is merged with ours, the rest replaces it; with a `cachedContent` the system
 * instruction and the tools are left out, which stand in that cache.
 */
export function requestText(request: ModelRequest, { modelName, wire }: RequestBody): string {
  const { generationConfig, ...open } = request.options?.additionalBodyParams ?? {};
  const profile = profileFor(modelName);
  const { contents, ...members } = isObject(wire) ? wire : { contents: wire };
  const config = { ...generation(request, profile), ...(isObject(generationConfig) ? generationConfig : {}) };
  const cached = open['cachedContent'] === undefined ? { ...members, ...toolFields(request) } : {};
  const head: Record<string, unknown> = { ...cached, ...(Object.values(config).some((value) => value !== undefined) ? { generationConfig: config } : {}), ...open };
  const text = wellFormedJson(JSON.stringify(head)).slice(0, -1);
  return 'contents' in head ? `${text}}` : `${text}${text === '{' ? '' : ','}"contents":${contentsText(contents)}}`;
}

function contentsText(contents: unknown): string {
  if (!Array.isArray(contents)) return JSON.stringify(contents);
  return `[${(contents as readonly unknown[]).map(contentText).join(',')}]`;
}

/** A content of several turns is new each time, its parts are not. */
function contentText(content: unknown): string {
  if (!isObject(content) || Object.isFrozen(content) || !Array.isArray(content['parts'])) return frozenText(content);
  const { parts, ...rest } = content;
  return `${JSON.stringify(rest).slice(0, -1)},"parts":${listText(parts as readonly unknown[])}}`;
}

/** Gemini 2 refuses JSON output beside tools: there the tools stay, and the answer is for the caller to check. */
function generation(request: ModelRequest, profile: GeminiProfile): Record<string, unknown> {
  const { options = {}, responseFormat, tools } = request;
  const asJson = responseFormat !== undefined && (profile.jsonWithTools || tools === undefined || tools.length === 0);
  return {
    maxOutputTokens: options.maxTokens,
    temperature: options.temperature,
    topP: options.topP,
    topK: options.topK,
    seed: options.seed,
    presencePenalty: options.presencePenalty,
    frequencyPenalty: options.frequencyPenalty,
    ...(asJson ? { responseMimeType: 'application/json', responseSchema: toGeminiSchema(responseFormat.schema) } : {}),
    thinkingConfig: thinking(options, profile),
  };
}

/** A budget is taken as it is; an effort becomes a level where there are levels, else the budget Google gives for it. */
function thinking({ thinkingBudget, reasoningEffort }: GenerateOptions, { isThird }: GeminiProfile): Record<string, unknown> | undefined {
  if (thinkingBudget !== undefined) return { includeThoughts: thinkingBudget !== 0, thinkingBudget };
  if (reasoningEffort === undefined) return undefined;
  if (isThird) return { includeThoughts: true, thinkingLevel: LEVELS.get(reasoningEffort) ?? reasoningEffort };
  const budget = BUDGETS.get(reasoningEffort) ?? -1;
  return { includeThoughts: budget !== 0, thinkingBudget: budget };
}

/** Efforts that are no level: thinking cannot be turned off, and has no more than `high`. */
const LEVELS: ReadonlyMap<string, string> = new Map([['none', 'minimal'], ['xhigh', 'high'], ['max', 'high']]);

const BUDGETS: ReadonlyMap<string, number> = new Map([['none', 0], ['minimal', 1_024], ['low', 1_024], ['medium', 8_192], ['high', 24_576], ['xhigh', 24_576], ['max', 24_576]]);

function toolFields({ tools, toolChoice }: ModelRequest): Record<string, unknown> {
  if (tools === undefined || tools.length === 0) return {};
  const names = geminiNames(tools);
  return { tools: toolsField(tools, names), toolConfig: configField(toolChoice, names) };
}

const toolFieldsOf = new WeakMap<NonNullable<ModelRequest['tools']>, readonly object[]>();

/** A list of tools is the same object as long as nothing is added, so this is made once. */
function toolsField(tools: NonNullable<ModelRequest['tools']>, names: GeminiNames): readonly object[] {
  let field = toolFieldsOf.get(tools);
  if (field === undefined) {
    const functionDeclarations = tools.map(({ name, description, inputSchema }) => ({ name: names.toWire(name), description, parameters: toGeminiSchema(inputSchema) }));
    toolFieldsOf.set(tools, (field = [{ functionDeclarations }]));
  }
  return field;
}

function configField(choice: ToolChoice | undefined, names: GeminiNames): object | undefined {
  if (choice === undefined) return undefined;
  if (typeof choice === 'object') return { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [names.toWire(choice.tool)] } };
  return { functionCallingConfig: { mode: MODES[choice] } };
}

const MODES = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const;
