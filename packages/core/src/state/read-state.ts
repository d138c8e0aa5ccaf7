import { AgentScopeError } from '../error/index.ts';
import { isObject, newId } from '../internal/index.ts';
import type { JsonObject, JsonValue } from '../internal/index.ts';
import { jsonOf, readMembers, readMsg, spellings } from '../message/index.ts';
import type { Dialect, Msg, ParseOptions } from '../message/index.ts';
import { createAgentState } from './agent-state.ts';
import type { AgentState } from './agent-state.ts';

const NAMES = /* @__PURE__ */ spellings([
  'sessionId', 'userId', 'summary', 'context', 'replyId', 'curIter', 'shutdownInterrupted',
  'permissionContext', 'toolContext', 'tasksContext', 'planModeContext', 'replyContext',
]);

/**
 * The state of a conversation from JSON: AgentScope Java's, Python 2's (the newer form and the older flat one), or our extended one.
 * A JSON text is taken too. A missing member takes its default, a missing id is made; what only another dialect has stays in `extra`.
 *
 * @throws AgentScopeError `message/invalid` with the path; `wire/unknown-type` for an unknown block type, unless `unknown: 'keep'`
 */
export function parseAgentState(json: unknown, { dialect, unknown = 'throw' }: ParseOptions = {}): AgentState {
  const raw = jsonOf(json);
  if (!isObject(raw)) throw invalidState('', 'a state is an object, or the whole JSON text of one');
  const { known, extra } = readMembers(raw, NAMES);
  const { reply_id: nestedId, cur_iter: nestedIter, ...reply } = objectOf(known['replyContext'], 'reply_context') ?? {};
  const summary = readSummary(known['summary']);
  const kept = { ...extra, ...(Array.isArray(known['summary']) ? { summary: known['summary'] as JsonValue } : {}), ...(Object.keys(reply).length === 0 ? {} : { reply_context: reply }) };
  const plan = objectOf(known['planModeContext'], 'plan_mode_context');
  const permission = objectOf(known['permissionContext'], 'permission_context');
  const tools = objectOf(known['toolContext'], 'tool_context');
  const tasks = objectOf(known['tasksContext'], 'tasks_context');
  return createAgentState({
    sessionId: text(known['sessionId'], 'session_id') || newId(),
    userId: text(known['userId'], 'user_id') || null,
    summary,
    context: readContext(known['context'], { dialect, unknown }),
    replyId: text(known['replyId'] ?? nestedId, 'reply_id') || newId(),
    curIter: count(known['curIter'] ?? nestedIter),
    ...(typeof known['shutdownInterrupted'] === 'boolean' ? { shutdownInterrupted: known['shutdownInterrupted'] } : {}),
    ...(permission === undefined ? {} : { permissionContext: permission }),
    ...(tools === undefined ? {} : { toolContext: tools }),
    ...(tasks === undefined ? {} : { tasksContext: tasks }),
    ...(plan === undefined ? {} : { planModeContext: plan }),
    ...(Object.keys(kept).length === 0 ? {} : { extra: kept }),
  });
}

/** Each message is read as what it is, unless the dialect is named: a Java state may hold messages that came from Python. */
function readContext(value: unknown, options: { readonly dialect: Dialect | undefined; readonly unknown: 'throw' | 'keep' }): Msg[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidState('context', 'it is a list of messages');
  const { dialect, unknown } = options;
  return value.flatMap((item: unknown, i) => (item === null ? [] : [readMsg(item, { unknown, path: `context[${i}].`, ...(dialect === undefined ? {} : { dialect }) })]));
}

/** Python's summary may be a list of blocks: their texts are joined, as a hint's are. */
function readSummary(value: unknown): string {
  return Array.isArray(value) ? summaryText(value as JsonValue[]) : text(value, 'summary');
}

export function summaryText(blocks: readonly JsonValue[]): string {
  return blocks.flatMap((block) => (isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [])).join('\n');
}

function objectOf(value: unknown, path: string): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (isObject(value)) return value as JsonObject;
  throw invalidState(path, 'it is an object');
}

function text(value: unknown, path: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw invalidState(path, 'it is a text');
}

function count(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === 'number') return value;
  throw invalidState('cur_iter', 'it is a number');
}

function invalidState(path: string, rule: string): AgentScopeError<'message/invalid'> {
  return new AgentScopeError('message/invalid', `The agent state is not valid at \`${path}\`: ${rule}.`, { details: { path, rule } });
}
