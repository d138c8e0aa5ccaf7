import { checkKnown, isBase64, isFields, isFilledText } from './shared.ts';
import type { Fields, Problems } from './shared.ts';

const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content'],
  user: ['role', 'content', 'images'],
  assistant: ['role', 'content', 'thinking', 'tool_calls'],
  tool: ['role', 'content', 'tool_name', 'tool_call_id'],
};

/** Text is text, pictures are bare base64 of users, calls are answered at once and in full, and no two neighbours would be merged. */
export function checkOllamaMessages(messages: unknown, problems: Problems): void {
  if (!problems.check(Array.isArray(messages) && messages.length > 0, 'messages', 'a list that is not empty: without one the model is only loaded')) return;
  const list = (messages as readonly unknown[]).map((message) => (isFields(message) ? message : {}));
  list.forEach((message, at) => {
    const path = `messages[${at}]`;
    checkMessage(message, path, problems);
    const { role } = message;
    if (role === 'user' || role === 'assistant') problems.check(list[at - 1]?.['role'] !== role, path, `not behind another ${role}: the server would keep the text of both and nothing else`);
  });
  problems.check(list.at(-1)?.['role'] !== 'assistant', 'messages', 'the last one is not the assistant\'s, which would be gone on with');
  problems.check(list.some(({ role }) => role === 'user'), 'messages', 'a user says something');
  checkPairs(list, problems);
}

function checkMessage(message: Fields, path: string, problems: Problems): void {
  const role = String(message['role']);
  const members = Object.hasOwn(MEMBERS, role) ? MEMBERS[role] : undefined;
  if (members === undefined) return problems.add(`${path}.role`, 'system, user, assistant or tool');
  checkKnown(message, members, { problems, path });
  const { content, images, tool_calls: calls } = message;
  if (!problems.check(typeof content === 'string', `${path}.content`, 'a text, also beside calls and pictures')) return;
  problems.check(isFilledText(content) || (content === '' && (images !== undefined || calls !== undefined)), `${path}.content`, 'not empty, not blank');
  if (images !== undefined) checkImages(images, path, problems);
  if (calls !== undefined) checkCalls(calls, path, problems);
  if (role === 'tool') problems.check(isFilledText(message['tool_name']), `${path}.tool_name`, 'the name of the tool');
}

function checkImages(images: unknown, path: string, problems: Problems): void {
  if (!problems.check(Array.isArray(images) && images.length > 0, `${path}.images`, 'a list that is not empty')) return;
  (images as readonly unknown[]).forEach((image, at) => problems.check(isBase64(image), `${path}.images[${at}]`, 'bare base64: no address, no data URL'));
}

function checkCalls(calls: unknown, path: string, problems: Problems): void {
  if (!problems.check(Array.isArray(calls) && calls.length > 0, `${path}.tool_calls`, 'a list that is not empty, or nothing')) return;
  (calls as readonly unknown[]).forEach((call, at) => {
    const where = `${path}.tool_calls[${at}]`;
    const fn = isFields(call) ? call['function'] : undefined;
    if (!isFields(call) || !isFields(fn)) return problems.add(where, 'holds a function');
    checkKnown(call, ['id', 'function'], { problems, path: where });
    checkKnown(fn, ['name', 'arguments', 'index'], { problems, path: `${where}.function` });
    problems.check(call['id'] === undefined || isFilledText(call['id']), `${where}.id`, 'an id that says something, or none');
    problems.check(typeof fn['name'] === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(fn['name']), `${where}.function.name`, 'letters, digits, _ and -, at most 64');
    problems.check(isFields(fn['arguments']), `${where}.function.arguments`, 'an object, no text');
  });
}

/** Results stand directly behind the message of their calls, one each, in its order: without ids the order is all that tells them apart. */
function checkPairs(messages: readonly Fields[], problems: Problems): void {
  let open: readonly Fields[] = [];
  const ids = new Set<unknown>();
  messages.forEach((message, at) => {
    const path = `messages[${at}]`;
    if (message['role'] === 'tool') {
      const [call, ...rest] = open;
      const fn = call?.['function'];
      problems.check(isFields(fn) && fn['name'] === message['tool_name'] && call?.['id'] === message['tool_call_id'], path, 'the result of the next call of the message before');
      open = rest;
      return;
    }
    problems.check(open.length === 0, path, 'every call is answered before anything else is said');
    open = callsOf(message);
    for (const { id } of open) {
      problems.check(id === undefined || !ids.has(id), path, 'ids of calls are unique');
      ids.add(id);
    }
  });
  problems.check(open.length === 0, 'messages', 'every call is answered');
}

function callsOf(message: Fields): readonly Fields[] {
  const calls = message['tool_calls'];
  return Array.isArray(calls) ? calls.filter(isFields) : [];
}
