import { isBase64, isFields, isFilledText } from './shared.ts';
import type { Fields, Problems } from './shared.ts';

interface Rules {
  readonly problems: Problems;
  readonly isThird: boolean;
}

const DATA = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse', 'executableCode', 'codeExecutionResult'];
const DUMMY = 'skip_thought_signature_validator';

/** Turns of user and model: calls after a user, answered at once and in full, and the user has the last word. */
export function checkGeminiContents(contents: unknown, rules: Rules): void {
  const { problems } = rules;
  if (!problems.check(Array.isArray(contents) && contents.length > 0, 'contents', 'a list that is not empty')) return;
  const list = (contents as readonly unknown[]).map((content) => (isFields(content) ? content : {}));
  list.forEach((content, at) => {
    const path = `contents[${at}]`;
    problems.check(content['role'] === 'user' || content['role'] === 'model', path, 'role is user or model');
    if (!problems.check(partsOf(content).length > 0, path, 'has parts')) return;
    partsOf(content).forEach((part, n) => checkPart(part, `${path}.parts[${n}]`, { ...rules, role: content['role'] }));
    checkSignatures(content, path, rules);
    checkPairing(content, { before: list[at - 1], after: list[at + 1], path }, problems);
  });
  problems.check(list[0]?.['role'] === 'user', 'contents[0]', 'the user begins');
  problems.check(list.at(-1)?.['role'] === 'user', 'contents', 'the last turn is the user\'s');
}

function partsOf(content: Fields | undefined): readonly Fields[] {
  const parts = content?.['parts'];
  return Array.isArray(parts) ? parts.map((part: unknown) => (isFields(part) ? part : {})) : [];
}

function checkPart(part: Fields, path: string, { problems, isThird, role }: Rules & { role: unknown }): void {
  const kinds = DATA.filter((kind) => part[kind] !== undefined);
  problems.check(Object.keys(part).every((name) => [...DATA, 'thought', 'thoughtSignature', 'videoMetadata'].includes(name)), path, 'members it knows');
  if (!problems.check(kinds.length === 1, path, 'exactly one kind of data')) return;
  const { text, inlineData, fileData, functionCall, functionResponse, thought, thoughtSignature: signature } = part;
  if (text !== undefined) problems.check(isFilledText(text), path, 'text that says something');
  problems.check(thought === undefined || (thought === true && role === 'model'), path, 'thoughts are the model\'s');
  problems.check(signature === undefined || (role === 'model' && isSignature(signature) && (isThird || signature !== DUMMY)), path, 'a signature of this model');
  if (inlineData !== undefined) checkBlob(inlineData, path, problems);
  if (fileData !== undefined) problems.check(isFields(fileData) && /^(?:https?|gs):\/\/\S+$/.test(String(fileData['fileUri'])), path, 'an address of a file');
  if (functionCall !== undefined) checkCall(functionCall, path, problems, role);
  if (functionResponse !== undefined) checkResponse(functionResponse, path, { problems, isThird, role });
}

function isSignature(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value);
}

function checkBlob(blob: unknown, path: string, problems: Problems): void {
  problems.check(isFields(blob) && /^[a-z]+\/[\w.+-]+$/.test(String(blob['mimeType'])) && isBase64(blob['data']), path, 'a media type and base64');
}

function checkCall(call: unknown, path: string, problems: Problems, role: unknown): void {
  if (!isFields(call)) return problems.add(path, 'a call is an object');
  problems.check(role === 'model', path, 'calls are the model\'s');
  problems.check(isName(call['name']), path, 'a legal name');
  problems.check(call['args'] === undefined || isFields(call['args']), path, 'arguments are an object');
  problems.check(call['id'] === undefined || isFilledText(call['id']), path, 'an id that says something, or none');
}

function checkResponse(response: unknown, path: string, { problems, isThird, role }: Rules & { role: unknown }): void {
  if (!isFields(response)) return problems.add(path, 'a response is an object');
  problems.check(role === 'user', path, 'responses are the user\'s');
  problems.check(isName(response['name']), path, 'a legal name');
  problems.check(isFields(response['response']), path, 'what was answered is an object');
  const { parts } = response;
  if (parts === undefined) return;
  problems.check(isThird, path, 'media in responses only from Gemini 3 on');
  if (!problems.check(Array.isArray(parts) && parts.length > 0, path, 'parts that are not empty')) return;
  (parts as readonly unknown[]).forEach((part, at) => checkBlob(isFields(part) ? part['inlineData'] : undefined, `${path}.parts[${at}]`, problems));
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/.test(name);
}

/** From Gemini 3 on the first call of a step brings its signature. */
function checkSignatures(content: Fields, path: string, { problems, isThird }: Rules): void {
  const first = partsOf(content).find((part) => part['functionCall'] !== undefined);
  if (first !== undefined && isThird) problems.check(first['thoughtSignature'] !== undefined, path, 'the first call has a signature');
}

function checkPairing(content: Fields, { before, after, path }: { before: Fields | undefined; after: Fields | undefined; path: string }, problems: Problems): void {
  const calls = callsOf(content);
  if (calls.length > 0) {
    problems.check(before?.['role'] === 'user', path, 'calls stand directly after the user');
    problems.check(responsesOf(after).length === calls.length, path, 'every call is answered in the next turn');
  }
  const responses = responsesOf(content);
  if (responses.length === 0) return;
  const asked = callsOf(before);
  problems.check(asked.length === responses.length, path, 'as many responses as calls directly before');
  responses.forEach((response, at) => {
    problems.check(response['name'] === asked[at]?.['name'], path, `response ${at} has the name of its call`);
    problems.check(response['id'] === asked[at]?.['id'], path, `response ${at} has the id of its call`);
  });
}

function callsOf(content: Fields | undefined): readonly Fields[] {
  return partsOf(content).flatMap(({ functionCall }) => (isFields(functionCall) ? [functionCall] : []));
}

function responsesOf(content: Fields | undefined): readonly Fields[] {
  return partsOf(content).flatMap(({ functionResponse }) => (isFields(functionResponse) ? [functionResponse] : []));
}
