import { isBase64, isFields, isFilledText, isWebAddress } from './shared.ts';
import type { Fields, Problems } from './shared.ts';

interface Rules {
  readonly problems: Problems;
  /** The server keeps its answers, so their ids say something. */
  readonly isStored: boolean;
  /** The input goes on with what the server has. */
  readonly goesOn: boolean;
}

/** Items in order: calls with their outputs, reasoning before what it led to, and somebody else than the assistant at the end. */
export function checkResponsesInput(input: unknown, rules: Rules): void {
  const { problems } = rules;
  if (typeof input === 'string') return void problems.check(isFilledText(input), 'input', 'text that says something');
  if (!problems.check(Array.isArray(input) && input.length > 0, 'input', 'a text, or a list that is not empty')) return;
  const items = (input as readonly unknown[]).map((item) => (isFields(item) ? item : {}));
  items.forEach((item, at) => checkItem(item, `input[${at}]`, rules));
  checkCalls(items, rules);
  checkReasoning(items, problems);
  checkIds(items, problems);
  problems.check(!isOfAssistant(items.at(-1)), 'input', 'the last item is not the assistant\'s');
}

function typeOf(item: Fields | undefined): unknown {
  return item?.['type'] ?? (item?.['role'] === undefined ? undefined : 'message');
}

function isOfAssistant(item: Fields | undefined): boolean {
  const type = typeOf(item);
  return type === 'reasoning' || type === 'function_call' || (type === 'message' && item?.['role'] === 'assistant');
}

function checkItem(item: Fields, path: string, { problems, isStored }: Rules): void {
  switch (typeOf(item)) {
    case 'message':
      return checkMessage(item, path, problems);
    case 'function_call':
      problems.check(isFilledText(item['call_id']) && String(item['call_id']).length <= 64, path, 'a call_id of at most 64 characters');
      problems.check(typeof item['name'] === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(item['name']), path, 'a legal name');
      problems.check(isObjectText(item['arguments']), path, 'arguments are the JSON text of an object');
      problems.check(isStored || item['id'] === undefined, path, 'no id of an item that was not stored');
      return;
    case 'function_call_output':
      return checkOutput(item['output'], path, problems);
    case 'reasoning':
      problems.check(isFilledText(item['id']), path, 'reasoning has its id');
      problems.check(Array.isArray(item['summary']) && item['summary'].every((part: unknown) => isFields(part) && part['type'] === 'summary_text' && isFilledText(part['text'])), path, 'a summary of texts');
      problems.check(isStored || isFilledText(item['encrypted_content']), path, 'reasoning that was not stored is encrypted');
      return;
    case 'item_reference':
      problems.check(isStored && isFilledText(item['id']), path, 'a reference to an item that was stored');
      return;
    default:
      problems.add(path, 'a type it knows');
  }
}

function checkMessage(item: Fields, path: string, problems: Problems): void {
  const { role, content } = item;
  problems.check(['user', 'system', 'developer', 'assistant'].includes(String(role)), path, 'role is user, system, developer or assistant');
  problems.check(Object.keys(item).every((name) => ['type', 'role', 'content', 'id', 'status', 'phase'].includes(name)), path, 'members it knows (there are no names)');
  if (typeof content === 'string') return void problems.check(isFilledText(content), path, 'content that says something');
  if (!problems.check(Array.isArray(content) && content.length > 0, path, 'content that is not empty')) return;
  (content as readonly unknown[]).forEach((part, at) => (role === 'assistant' ? checkSaid(part, `${path}.content[${at}]`, problems) : checkPart(part, `${path}.content[${at}]`, { problems, textOnly: role !== 'user' })));
}

function checkSaid(part: unknown, path: string, problems: Problems): void {
  const isText = isFields(part) && part['type'] === 'output_text' && isFilledText(part['text']);
  problems.check(isText || (isFields(part) && part['type'] === 'refusal' && isFilledText(part['refusal'])), path, 'the assistant says output_text or refusal');
}

function checkPart(part: unknown, path: string, { problems, textOnly }: { problems: Problems; textOnly: boolean }): void {
  if (!isFields(part)) return problems.add(path, 'a part is an object');
  if (part['type'] === 'input_text') return void problems.check(isFilledText(part['text']), path, 'text that says something');
  problems.check(!textOnly, path, 'media only from a user or a tool');
  if (part['type'] === 'input_image') {
    problems.check(isFilledText(part['file_id']) || isWebAddress(part['image_url']) || isDataUri(part['image_url'], /^image\/(?:png|jpe?g|gif|webp)$/i), path, 'a picture: file_id, address, or data of a kind it takes');
    problems.check(part['detail'] === undefined || ['auto', 'low', 'high', 'original'].includes(String(part['detail'])), path, 'a detail it knows');
    return;
  }
  if (!problems.check(part['type'] === 'input_file', path, 'a type it takes')) return;
  const isInline = isFilledText(part['filename']) && isDataUri(part['file_data'], /^[\w.+-]+\/[\w.+-]+$/);
  problems.check(isFilledText(part['file_id']) || isWebAddress(part['file_url']) || isInline, path, 'a file: file_id, address, or name and data');
}

function isDataUri(value: unknown, type: RegExp): boolean {
  const [, media, data] = /^data:([^;,]+);base64,(.*)$/is.exec(typeof value === 'string' ? value : '') ?? [];
  return media !== undefined && type.test(media) && isBase64(data);
}

function checkOutput(output: unknown, path: string, problems: Problems): void {
  if (typeof output === 'string') return void problems.check(isFilledText(output), path, 'an output that says something');
  if (!problems.check(Array.isArray(output) && output.length > 0, path, 'an output that is not empty')) return;
  (output as readonly unknown[]).forEach((part, at) => checkPart(part, `${path}.output[${at}]`, { problems, textOnly: false }));
}

function isObjectText(value: unknown): boolean {
  try {
    return typeof value === 'string' && isFields(JSON.parse(value));
  } catch {
    return false;
  }
}

/** Each call once, each answered once, before anybody says anything else. */
function checkCalls(items: readonly Fields[], { problems, goesOn }: Rules): void {
  const seen = new Set<unknown>();
  const open = new Set<unknown>();
  items.forEach((item, at) => {
    const { call_id: id } = item;
    const type = typeOf(item);
    if (type === 'function_call') {
      problems.check(!seen.has(id), `input[${at}]`, 'a call_id no other call has');
      seen.add(id);
      open.add(id);
    } else if (type === 'function_call_output') {
      problems.check(open.delete(id) || (goesOn && !seen.has(id)), `input[${at}]`, 'an output of an open call');
    } else if (!isOfAssistant(item)) problems.check(open.size === 0, `input[${at}]`, 'calls are answered before anything else is said');
  });
  problems.check(open.size === 0, 'input', 'every call has its output');
}

function checkReasoning(items: readonly Fields[], problems: Problems): void {
  items.forEach((item, at) => {
    if (typeOf(item) === 'reasoning') problems.check(isOfAssistant(items[at + 1]), `input[${at}]`, 'reasoning stands before what it led to');
  });
}

function checkIds(items: readonly Fields[], problems: Problems): void {
  const ids = items.map((item) => item['id']).filter((id) => id !== undefined);
  problems.check(new Set(ids).size === ids.length, 'input', 'no id twice');
}
