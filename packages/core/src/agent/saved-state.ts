import type { Facts } from '../event/index.ts';
import { isObject } from '../internal/index.ts';
import type { JsonObject, JsonValue } from '../internal/index.ts';
import { Msg } from '../message/index.ts';
import { SUMMARY } from '../session/index.ts';
import type { FullSessionKey } from '../session/index.ts';
import { createAgentState, parseAgentState, toJava2 } from '../state/index.ts';
import type { AgentState } from '../state/index.ts';
import type { SessionView } from './agent-core.ts';
import { contextName, CONTEXTS, OWN } from './context-name.ts';
import type { ContextMember } from './context-name.ts';

/** Whose state: rules, groups and tasks are kept for each agent of a session by its name. */
export interface StateOf {
  readonly key: FullSessionKey;
  readonly agentName: string;
}

/** Members of other dialects, as they came. */
const EXTRA = `${OWN}extra`;

/** What a conversation amounts to, in AgentScope's own form. */
export function stateOf(view: SessionView, { key, agentName }: StateOf): AgentState {
  const open = view.openReply();
  const context = view.context();
  const summary = view.state(SUMMARY);
  const contexts = Object.keys(CONTEXTS).map((member) => [member, view.state(contextName(member as ContextMember, agentName))] as const);
  const extra = view.state(EXTRA);
  return createAgentState({
    sessionId: key.sessionId,
    userId: key.userId ?? null,
    summary: typeof summary === 'string' ? summary : '',
    context,
    replyId: open?.message.id ?? context.findLast(({ role }) => role === 'ASSISTANT')?.id ?? '',
    curIter: open?.facts.iterations ?? 0,
    ...Object.fromEntries(contexts.filter(([, value]) => isObject(value))),
    ...(isObject(extra) ? { extra: extra as JsonObject } : {}),
  });
}

/** The named values a state becomes. */
export function valuesOf(state: AgentState, agentName: string): ReadonlyMap<string, JsonValue> {
  const { agentscope, ...extra } = state.extra ?? {};
  const values = new Map(Object.entries(slotsIn(agentscope)));
  if (state.summary !== '') values.set(SUMMARY, state.summary);
  if (Object.keys(extra).length > 0) values.set(EXTRA, extra);
  const fresh = createAgentState({ sessionId: '' });
  for (const member of Object.keys(CONTEXTS) as ContextMember[]) {
    const value = state[member];
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(fresh[member])) values.set(contextName(member, agentName), value);
  }
  return values;
}

/**
 * The state as it is saved: the extended Java form, with what only we know in `extra.agentscope`: the values of state keys, and the
 * facts of the open reply. A model call that was under way is left out, as after a crash.
 */
export function saveState(view: SessionView, of: StateOf): JsonObject {
  const open = withoutCutCall(view.openReply());
  const state = stateOf(view, of);
  const slots = Object.fromEntries(view.stateNames().filter((name) => !name.startsWith(OWN)).map((name) => [name, view.state(name) ?? null]));
  const own = { slots, ...(open ? { facts: open.facts as unknown as JsonObject } : {}) };
  const context = state.context.map((msg) => (msg.id === open?.message.id ? open.message : msg));
  return toJava2({ ...state, context, extra: { ...state.extra, agentscope: own } }, { extensions: true });
}

/** @throws AgentScopeError `message/invalid` for what is no state */
export function readSavedState(saved: JsonValue): AgentState {
  return parseAgentState(saved, { unknown: 'keep' });
}

/** The facts that were saved with a state; undefined for one from elsewhere, and where no reply was open. */
export function savedFacts({ extra }: AgentState): Facts | undefined {
  const own = extra?.['agentscope'];
  const facts = isObject(own) ? own['facts'] : undefined;
  return isObject(facts) && typeof facts['replyId'] === 'string' ? (facts as unknown as Facts) : undefined;
}

/** True for a state that an agent of ours saved: it says itself whether a reply is open. */
export function isOwnState({ extra }: AgentState): boolean {
  return isObject(extra?.['agentscope']);
}

/** Values of state keys, by name. */
function slotsIn(own: JsonValue | undefined): { readonly [name: string]: JsonValue } {
  return isObject(own) && isObject(own['slots']) ? (own['slots'] as { readonly [name: string]: JsonValue }) : {};
}

function withoutCutCall(open: ReturnType<SessionView['openReply']>): ReturnType<SessionView['openReply']> {
  const lastCall = open?.facts.lastCall;
  if (!open || !lastCall || lastCall.ended) return open;
  const { lastCall: _, ...facts } = open.facts;
  const content = open.message.content.filter(({ call }) => call !== lastCall.call);
  return { message: Msg.from({ ...open.message, content }), facts: { ...facts, calls: lastCall.call - 1 } };
}
