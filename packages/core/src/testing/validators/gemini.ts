import { checkGeminiContents } from './gemini-contents.ts';
import { checkGeminiSchema } from './gemini-schema.ts';
import { checkKnown, checkRange, checkUnicode, isFields, isFilledText, Problems } from './shared.ts';
import type { Fields } from './shared.ts';

export interface GeminiValidation {
  /** The model stands in the address, not in the body. Default `gemini-3-pro`. */
  readonly modelName?: string;
}

/** What `generateContent` of Gemini refuses (PROVIDERS §6), each rule with its place. Knows nothing of how our formatter works. */
export function validateGeminiRequest(body: unknown, { modelName = 'gemini-3-pro' }: GeminiValidation = {}): readonly string[] {
  const problems = new Problems();
  if (!isFields(body)) return ['body: an object'];
  checkUnicode(body, problems);
  checkKnown(body, ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'safetySettings', 'cachedContent', 'labels'], { problems, path: 'body' });
  const isThird = !/gemini-[12]\b/.test(modelName) && modelName.startsWith('gemini');
  checkGeminiContents(body['contents'], { problems, isThird });
  checkSystem(body['systemInstruction'], problems, modelName.startsWith('gemma'));
  const declared = checkTools(body['tools'], problems);
  checkToolConfig(body['toolConfig'], declared, problems);
  checkGeneration(body['generationConfig'], { problems, isThird, hasTools: declared !== undefined });
  if (body['cachedContent'] !== undefined) problems.check(body['systemInstruction'] === undefined && body['tools'] === undefined && body['toolConfig'] === undefined, 'cachedContent', 'no system instruction and no tools beside it');
  return problems.list;
}

function checkSystem(system: unknown, problems: Problems, isGemma: boolean): void {
  if (system === undefined) return;
  problems.check(!isGemma, 'systemInstruction', 'Gemma has none');
  const parts = isFields(system) ? system['parts'] : undefined;
  if (!problems.check(Array.isArray(parts) && parts.length > 0, 'systemInstruction', 'has parts')) return;
  (parts as readonly unknown[]).forEach((part, at) => problems.check(isFields(part) && isFilledText(part['text']), `systemInstruction.parts[${at}]`, 'text that says something'));
}

/** The declared names; nothing where there are no tools. */
function checkTools(tools: unknown, problems: Problems): ReadonlySet<unknown> | undefined {
  if (tools === undefined) return undefined;
  const names = new Set<unknown>();
  if (!problems.check(Array.isArray(tools) && tools.length > 0, 'tools', 'a list that is not empty')) return names;
  (tools as readonly unknown[]).forEach((tool, at) => {
    const path = `tools[${at}]`;
    const declarations = isFields(tool) ? tool['functionDeclarations'] : undefined;
    if (!problems.check(Array.isArray(declarations) && declarations.length > 0, path, 'functionDeclarations that are not empty')) return;
    (declarations as readonly unknown[]).forEach((one, n) => checkDeclaration(one, names, { problems, path: `${path}.functionDeclarations[${n}]` }));
  });
  return names;
}

function checkDeclaration(declaration: unknown, names: Set<unknown>, { problems, path }: { problems: Problems; path: string }): void {
  if (!isFields(declaration)) return problems.add(path, 'an object');
  const { name, description, parameters, ...rest } = declaration;
  checkKnown(rest, ['parametersJsonSchema', 'response', 'behavior'], { problems, path });
  problems.check(isGeminiName(name), path, 'a legal name');
  problems.check(!names.has(name), path, 'a name no other tool has');
  problems.check(description === undefined || typeof description === 'string', path, 'a description that is text');
  names.add(name);
  if (parameters === undefined) return;
  if (!problems.check(isFields(parameters) && parameters['type'] === 'object' && isFields(parameters['properties']) && Object.keys(parameters['properties']).length > 0, `${path}.parameters`, 'an object with properties, or left out')) return;
  checkGeminiSchema(parameters, `${path}.parameters`, problems);
}

function isGeminiName(name: unknown): boolean {
  return typeof name === 'string' && /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/.test(name);
}

function checkToolConfig(config: unknown, declared: ReadonlySet<unknown> | undefined, problems: Problems): void {
  if (config === undefined) return;
  const path = 'toolConfig';
  problems.check(declared !== undefined, path, 'only beside tools');
  const calling = isFields(config) ? config['functionCallingConfig'] : undefined;
  if (!isFields(calling)) return problems.add(path, 'holds a functionCallingConfig');
  const { mode, allowedFunctionNames: allowed } = calling;
  problems.check(['AUTO', 'ANY', 'NONE', 'VALIDATED'].includes(String(mode)), path, 'mode is AUTO, ANY, NONE or VALIDATED');
  if (allowed === undefined) return;
  problems.check(mode === 'ANY' || mode === 'VALIDATED', path, 'allowedFunctionNames only with mode ANY or VALIDATED');
  problems.check(Array.isArray(allowed) && allowed.length > 0 && allowed.every((name: unknown) => declared?.has(name) === true), path, 'allowed names are declared ones');
}

const GENERATION = [
  'maxOutputTokens', 'temperature', 'topP', 'topK', 'seed', 'stopSequences', 'presencePenalty', 'frequencyPenalty', 'candidateCount', 'responseMimeType', 'responseSchema', 'responseJsonSchema',
  'responseModalities', 'thinkingConfig', 'mediaResolution', 'speechConfig', 'responseLogprobs', 'logprobs',
];

function checkGeneration(config: unknown, { problems, isThird, hasTools }: { problems: Problems; isThird: boolean; hasTools: boolean }): void {
  if (config === undefined) return;
  const path = 'generationConfig';
  if (!isFields(config)) return problems.add(path, 'an object');
  checkKnown(config, GENERATION, { problems, path });
  checkRange(config['temperature'], [0, 2], { problems, path: `${path}.temperature` });
  checkRange(config['topP'], [0, 1], { problems, path: `${path}.topP` });
  checkRange(config['topK'], [1, 1_000_000], { problems, path: `${path}.topK` });
  checkRange(config['maxOutputTokens'], [1, 1_000_000_000], { problems, path: `${path}.maxOutputTokens` });
  const { stopSequences: stop } = config;
  problems.check(stop === undefined || (Array.isArray(stop) && stop.length <= 5), path, 'at most five stop sequences');
  const isJson = config['responseMimeType'] === 'application/json';
  problems.check(isJson || (config['responseSchema'] === undefined && config['responseJsonSchema'] === undefined), path, 'a schema needs responseMimeType application/json');
  problems.check(isThird || !isJson || !hasTools, path, 'no JSON output beside tools before Gemini 3');
  if (config['responseSchema'] !== undefined) checkGeminiSchema(config['responseSchema'], `${path}.responseSchema`, problems);
  if (config['thinkingConfig'] !== undefined) checkThinking(config['thinkingConfig'], problems, isThird);
}

function checkThinking(config: unknown, problems: Problems, isThird: boolean): void {
  const path = 'generationConfig.thinkingConfig';
  const { thinkingBudget: budget, thinkingLevel: level, ...rest } = isFields(config) ? config : ({ bad: true } as Fields);
  checkKnown(rest, ['includeThoughts'], { problems, path });
  problems.check(budget === undefined || level === undefined, path, 'a budget or a level, not both');
  problems.check(budget === undefined || (Number.isInteger(budget) && Number(budget) >= -1 && Number(budget) <= 32_768), path, 'a budget from -1 to 32768');
  problems.check(level === undefined || (isThird && ['minimal', 'low', 'medium', 'high'].includes(String(level))), path, 'a level only from Gemini 3 on, one of minimal, low, medium, high');
}
