import { checkKnown, isBase64, isFields, isFilledText, isWebAddress } from './shared.ts';
import type { Fields, Problems } from './shared.ts';

/** The messages of a request in DashScope's own protocol. All contents are texts, or all are lists of parts. */
export function checkDashScopeMessages(messages: unknown, problems: Problems): void {
  const path = 'input.messages';
  if (!problems.check(Array.isArray(messages) && messages.length > 0, path, 'a list that is not empty')) return;
  const list = messages as readonly unknown[];
  const inParts = list.some((message) => isFields(message) && Array.isArray(message['content']));
  list.forEach((message, at) => checkMessage(message, { path: `${path}[${at}]`, isFirst: at === 0, inParts, problems }));
  const sound = list.filter(isFields);
  problems.check(sound.some(({ role }) => role === 'user'), path, 'at least one message of a user');
  problems.check(['user', 'tool'].includes(String(sound.at(-1)?.['role'])), path, 'a user or a tool speaks last');
  problems.check(sound.flatMap(partsOf).filter((part) => part['cache_control'] !== undefined).length <= 4, path, 'at most four cache marks');
  checkPairs(sound, problems);
}

interface Place {
  readonly path: string;
  readonly isFirst: boolean;
  readonly inParts: boolean;
  readonly problems: Problems;
}

const MEMBERS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['system', ['role', 'content']],
  ['user', ['role', 'content']],
  ['assistant', ['role', 'content', 'tool_calls', 'reasoning_content']],
  ['tool', ['role', 'content', 'tool_call_id']],
]);

function checkMessage(message: unknown, place: Place): void {
  const { path, problems, isFirst } = place;
  if (!isFields(message)) return problems.add(path, 'an object');
  const members = MEMBERS.get(message['role']);
  if (members === undefined) return problems.add(`${path}.role`, 'system, user, assistant or tool');
  checkKnown(message, members, { problems, path });
  problems.check(message['role'] !== 'system' || isFirst, `${path}.role`, 'system text stands first, once');
  problems.check(message['reasoning_content'] === undefined || typeof message['reasoning_content'] === 'string', `${path}.reasoning_content`, 'a text');
  const { tool_calls: calls } = message;
  if (calls !== undefined) checkCalls(calls, path, problems);
  if (message['role'] === 'tool') problems.check(isFilledText(message['tool_call_id']), `${path}.tool_call_id`, 'the id of a call');
  checkContent(message, place);
}

function checkContent(message: Fields, { path, inParts, problems }: Place): void {
  const { content, role, tool_calls: calls } = message;
  const where = `${path}.content`;
  if (!inParts) return void problems.check(isFilledText(content) || (content === '' && calls !== undefined), where, 'a text, not empty, at the text endpoint');
  if (!problems.check(Array.isArray(content), where, 'a list at the multimodal endpoint')) return;
  const parts = content as readonly unknown[];
  problems.check(parts.length > 0 || calls !== undefined, where, 'at least one part');
  parts.forEach((part, at) => checkPart(part, { path: `${where}[${at}]`, mayBeEmpty: calls !== undefined && parts.length === 1, isUser: role === 'user', problems }));
}

const BESIDE: ReadonlyMap<string, readonly string[]> = new Map([
  ['text', []],
  ['image', ['min_pixels', 'max_pixels']],
  ['audio', []],
  ['video', ['fps', 'max_frames', 'total_pixels', 'min_pixels', 'max_pixels']],
]);

function checkPart(part: unknown, { path, mayBeEmpty, isUser, problems }: { path: string; mayBeEmpty: boolean; isUser: boolean; problems: Problems }): void {
  if (!isFields(part)) return problems.add(path, 'an object');
  const kinds = Object.keys(part).filter((name) => BESIDE.has(name));
  const [kind = ''] = kinds;
  if (!problems.check(kinds.length === 1, path, 'one of text, image, audio and video')) return;
  checkKnown(part, [kind, ...(BESIDE.get(kind) ?? []), 'cache_control'], { problems, path });
  const mark = part['cache_control'];
  problems.check(mark === undefined || (isFields(mark) && mark['type'] === 'ephemeral'), `${path}.cache_control`, 'ephemeral');
  if (kind === 'text') return void problems.check(isFilledText(part['text']) || (part['text'] === '' && mayBeEmpty), `${path}.text`, 'not empty, not blank');
  problems.check(isUser, path, 'media come from users only');
  const addresses = kind === 'video' && Array.isArray(part[kind]) ? (part[kind] as readonly unknown[]) : [part[kind]];
  problems.check(addresses.length > 0 && addresses.every((address) => isAddress(address, kind)), `${path}.${kind}`, 'a web address, a stored file, or a data URL of its kind');
}

function isAddress(address: unknown, kind: string): boolean {
  return isWebAddress(address) || (typeof address === 'string' && (/^oss:\/\/\S/.test(address) || isDataUrl(address, kind)));
}

function isDataUrl(address: string, kind: string): boolean {
  const comma = address.indexOf(',');
  const type = /^data:([a-z]+)\/[a-z0-9.+-]+;base64$/.exec(address.slice(0, Math.max(comma, 0)))?.[1];
  return (type === kind || (kind === 'video' && type === 'image')) && isBase64(address.slice(comma + 1));
}

function checkCalls(calls: unknown, path: string, problems: Problems): void {
  if (!problems.check(Array.isArray(calls) && calls.length > 0, `${path}.tool_calls`, 'a list that is not empty, or nothing')) return;
  (calls as readonly unknown[]).forEach((call, at) => {
    const where = `${path}.tool_calls[${at}]`;
    const fn = isFields(call) ? call['function'] : undefined;
    if (!isFields(call) || call['type'] !== 'function' || !isFields(fn)) return problems.add(where, 'a function');
    checkKnown(call, ['id', 'type', 'index', 'function'], { problems, path: where });
    problems.check(isFilledText(call['id']), `${where}.id`, 'an id');
    problems.check(typeof fn['name'] === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(fn['name']) && fn['name'] !== 'search', `${where}.function.name`, 'letters, digits, _ and -, at most 64, and not "search"');
    problems.check(isObjectText(fn['arguments']), `${where}.function.arguments`, 'JSON text of an object');
  });
}

function isObjectText(text: unknown): boolean {
  try {
    return typeof text === 'string' && isFields(JSON.parse(text));
  } catch {
    return false;
  }
}

function partsOf({ content }: Fields): readonly Fields[] {
  return Array.isArray(content) ? content.filter(isFields) : [];
}

/** Results stand directly behind the message of their calls, one for each; ids are not used twice. */
function checkPairs(messages: readonly Fields[], problems: Problems): void {
  let open = new Set<unknown>();
  const used = new Set<unknown>();
  messages.forEach((message, at) => {
    const path = `input.messages[${at}]`;
    if (message['role'] === 'tool') return void problems.check(open.delete(message['tool_call_id']), path, 'the one result of a call of the message before');
    problems.check(open.size === 0, path, 'every call is answered before anything else is said');
    const ids = Array.isArray(message['tool_calls']) ? message['tool_calls'].map((call: unknown) => (isFields(call) ? call['id'] : undefined)) : [];
    open = new Set(ids);
    problems.check(open.size === ids.length && ids.every((id) => !used.has(id)), path, 'ids of calls are unique');
    for (const id of ids) used.add(id);
  });
  problems.check(open.size === 0, 'input.messages', 'every call is answered');
}
