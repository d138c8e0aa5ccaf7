import { isDeepStrictEqual } from 'node:util';
import { createFold, foldEvents } from '../../src/event/index.ts';
import type { AgentEvent } from '../../src/event/index.ts';
import type { ContentBlock } from '../../src/message/index.ts';

/** One line of the ledger: what a process did, written at once. */
export interface Line {
  readonly process: number;
  readonly tool?: string;
  readonly n?: number;
  readonly key?: string;
  readonly model?: string;
  readonly at?: number;
  /** Calls a model was shown without a result or with half their arguments. */
  readonly bad?: readonly string[];
  readonly accepted?: string;
  readonly answered?: string;
  readonly looked?: string;
  readonly killed?: string;
  readonly what?: string;
  readonly refused?: string;
  readonly session?: string;
  readonly durable?: { readonly input?: string; readonly result?: string; readonly reply?: string; readonly state?: string };
}
interface Message {
  readonly id: string;
  readonly role: string;
  readonly content: readonly ContentBlock[];
  readonly metadata: { readonly [name: string]: unknown };
}
interface Entry {
  readonly seq: number;
  readonly to?: number;
  readonly kind: string;
  readonly epoch?: number;
  readonly msg?: { readonly id: string };
}
/** A session as it is in the store in the end. */
export interface KeptSession {
  readonly sessionId: string;
  readonly entries: readonly Entry[];
  readonly events: readonly AgentEvent[];
  readonly messages: readonly Message[];
  readonly inbox: readonly unknown[];
}

/** What is wrong with a run; nothing where all that was promised held. */
export function faultsOf(ledger: readonly Line[], sessions: readonly KeptSession[]): readonly string[] {
  return [...inputs(ledger, sessions), ...results(ledger, sessions), ...effects(ledger, sessions), ...modelCalls(ledger), ...approvals(ledger), ...sessions.flatMap(invariants), ...told(sessions)];
}

/** Everything that was accepted is there, once, and has its answer. */
function inputs(ledger: readonly Line[], sessions: readonly KeptSession[]): readonly string[] {
  const faults: string[] = [];
  const main = sessions.find(({ sessionId }) => !sessionId.includes('/'));
  const kept = main?.messages.map(({ role, id }) => (role === 'USER' ? id : role)) ?? [];
  if (kept.join() !== 'in-1,ASSISTANT,in-2,ASSISTANT') faults.push(`the conversation is ${kept.join()}`);
  const all = sessions.flatMap(({ entries }) => entries.flatMap(({ msg }) => (msg ? [msg.id] : [])));
  if (new Set(all).size !== all.length) faults.push(`an input is there twice: ${all.join()}`);
  for (const { accepted, durable } of ledger) {
    const id = accepted ?? durable?.input;
    if (id !== undefined && !all.includes(id)) faults.push(`lost input ${id}`);
  }
  if (sessions.length !== 2) faults.push(`${sessions.length} sessions: ${sessions.map(({ sessionId }) => sessionId).join(' ')}`);
  for (const { sessionId, inbox } of sessions) if (inbox.length > 0) faults.push(`the inbox of ${sessionId} holds ${inbox.length} items`);
  return faults;
}

/** Every result the store once said to have is in the message, as it was. */
function results(ledger: readonly Line[], sessions: readonly KeptSession[]): readonly string[] {
  return ledger.flatMap(({ durable }) => {
    if (durable?.result === undefined) return [];
    const message = sessions.flatMap(({ messages }) => messages).find(({ id }) => id === durable.reply);
    const found = message?.content.find((block) => block.type === 'tool_result' && block.id === durable.result);
    return found?.type === 'tool_result' && found.state.toLowerCase() === durable.state ? [] : [`lost result ${durable.result} (${durable.state}): ${JSON.stringify(found)}`];
  });
}

/** What each effect promises, for each call by its name and number. */
function effects(ledger: readonly Line[], sessions: readonly KeptSession[]): readonly string[] {
  const faults: string[] = [];
  const found = sessions.flatMap(({ messages }) => messages.flatMap(({ content }) => content)).flatMap((block) => (block.type === 'tool_result' ? [block] : []));
  for (const result of found) {
    const state = result.state.toLowerCase();
    const text = JSON.stringify(result.output);
    const call = sessions.flatMap(({ messages }) => messages.flatMap(({ content }) => content)).find((block) => block.type === 'tool_use' && block.id === result.id);
    const n = call?.type === 'tool_use' ? call.input['n'] : undefined;
    const ran = ledger.filter((line) => line.tool === result.name && line.n === n);
    const name = `${result.name} ${String(n)}`;
    if (state === 'success' && result.name !== 'helper' && (ran.length === 0 || !text.includes(`${name} is done`))) faults.push(`${name}: success, ran ${ran.length} times, ${text}`);
    if (state === 'interrupted' && text.includes('Not started') && ran.length > 0) faults.push(`${name}: "not started", ran ${ran.length} times`);
    if (state !== 'success' && ['read', 'traced', 'helper'].includes(result.name) && !text.includes('Not started')) faults.push(`${name}: ${state} ${text}`);
    if (state === 'error' || state === 'denied') faults.push(`${name}: ${state} ${text}`);
    if (result.name !== 'read' && result.name !== 'keyed' && ran.length > 1) faults.push(`${name} ran ${ran.length} times`);
    if (new Set(ran.map(({ key }) => key)).size > 1) faults.push(`${name} ran under ${ran.map(({ key }) => key).join(' and ')}`);
  }
  return faults;
}

/** A process may repeat one model call of each reply it found open, and no other; what a model is shown is whole. */
function modelCalls(ledger: readonly Line[]): readonly string[] {
  const seen = new Map<string, number>();
  const repeated = new Map<string, number>();
  const faults: string[] = [];
  for (const { model, at, process, bad } of ledger) {
    if (model === undefined) continue;
    if (bad) faults.push(`${model} was shown cut-off calls: ${bad.join()}`);
    const call = `${model} ${at}`;
    if (seen.has(call)) {
      const where = seen.get(call) === process ? `${call} twice in process ${process}` : `${model} in process ${process}`;
      repeated.set(where, (repeated.get(where) ?? 0) + (seen.get(call) === process ? 2 : 1));
    }
    seen.set(call, process);
  }
  return [...faults, ...[...repeated].filter(([, times]) => times > 1).map(([where, times]) => `${times} model calls repeated: ${where}`)];
}

/** What has to be allowed runs behind its answer only. */
function approvals(ledger: readonly Line[]): readonly string[] {
  return ledger.flatMap(({ tool, n }, i) => {
    const id = n === 1 ? 'main-1-0' : 'main-1-3';
    return tool !== 'asks' || ledger.slice(0, i).some(({ answered }) => answered === id) ? [] : [`asks ${n} ran before anybody allowed it`];
  });
}

/** What the child said stands in the caller's stream, each event once, and folds to what the child's session holds. */
function told(sessions: readonly KeptSession[]): readonly string[] {
  const main = sessions.find(({ sessionId }) => !sessionId.includes('/'));
  const child = sessions.find(({ sessionId }) => sessionId.includes('/'));
  const events = main?.events.filter(({ source }) => source !== undefined) ?? [];
  const faults = new Set(events.map(({ id }) => id)).size === events.length ? [] : ['an event of the child is told twice'];
  const fold = createFold();
  for (const event of events) fold.apply(event);
  const shown = fold.children().flatMap(({ messages }) => messages.map(({ content }) => content));
  const held = child?.messages.flatMap(({ role, content }) => (role === 'ASSISTANT' ? [content] : [])) ?? [];
  return isDeepStrictEqual(JSON.parse(JSON.stringify(shown)), held) ? faults : [...faults, `the child said ${JSON.stringify(held)}, told was ${JSON.stringify(shown)}`];
}

function invariants({ sessionId, entries, events: all, messages }: KeptSession): readonly string[] {
  const faults: string[] = [];
  const events = all.filter(({ source }) => source === undefined);
  const say = (what: string): void => void faults.push(`${sessionId.includes('/') ? 'child' : 'main'}: ${what}`);
  faults.push(...numbering(entries));
  for (const message of messages.filter(({ role }) => role === 'ASSISTANT')) {
    const own = events.filter(({ replyId }) => replyId === message.id);
    if (JSON.stringify(foldEvents(own)) !== JSON.stringify(message)) say('I1 the fold of the events is not the message');
    if (own[0]?.type !== 'AGENT_START' || own.at(-2)?.type !== 'AGENT_RESULT' || own.at(-1)?.type !== 'AGENT_END') say('I2 the reply has no end');
    for (const [what, count] of unbalanced(own)) say(`I2 ${what} is open ${count} times`);
    for (const call of unanswered(message.content)) say(`I4 ${call}`);
    if (message.metadata['agentscope_error'] !== undefined) say(`it failed: ${JSON.stringify(message.metadata['agentscope_error'])}`);
  }
  const replies = runsOf(events.map(({ replyId }) => replyId));
  if (new Set(replies).size !== replies.length) say('replies are interleaved');
  if (replies.length !== messages.filter(({ role }) => role === 'ASSISTANT').length) say(`I3 ${replies.length} replies`);
  const started = events.flatMap((event) => (event.type.endsWith('_BLOCK_START') && 'blockId' in event ? [`${event.replyId} ${event.blockId}`] : []));
  if (new Set(started).size !== started.length) say('I3 a block id is there twice');
  return faults;
}

/** Numbers without gaps, epochs that grow, and every id of the epoch it lies in. */
export function numbering(entries: readonly Entry[]): readonly string[] {
  const faults: string[] = [];
  let next = 1;
  let epoch = 0;
  for (const entry of entries) {
    if (entry.seq !== next) faults.push(`entry ${entry.seq} stands where ${next} should`);
    next = (entry.to ?? entry.seq) + 1;
    if (entry.kind === 'epoch' && (entry.epoch ?? 0) <= epoch) faults.push(`epoch ${entry.epoch} comes behind ${epoch}`);
    if (entry.kind === 'epoch') epoch = entry.epoch ?? 0;
    const { event } = entry as { event?: AgentEvent };
    if (event && !event.id.endsWith(`:${epoch}:${entry.seq}`)) faults.push(`event ${event.id} lies at ${entry.seq} in epoch ${epoch}`);
  }
  return faults;
}

/** Neighbours that are the same become one. */
export function runsOf(ids: readonly (string | undefined)[]): readonly (string | undefined)[] {
  return ids.filter((id, i) => id !== ids[i - 1]);
}

/** Blocks and calls that are open in the end; what a model call that was taken back had opened is closed with it. */
export function unbalanced(events: readonly AgentEvent[]): readonly (readonly [string, number])[] {
  const open = new Map<string, number>();
  let before = new Map<string, number>();
  for (const event of events) {
    const [, name, edge] = /^(.*)_(START|END)$/.exec(event.type) ?? [];
    if (event.type === 'MODEL_CALL_START') before = new Map(open);
    if (event.type === 'MODEL_CALL_END' && event.metadata?.['discarded'] === true) {
      open.clear();
      for (const [what, count] of before) open.set(what, count);
      continue;
    }
    if (name === undefined || name === 'AGENT') continue;
    const id = `${name} ${'blockId' in event ? event.blockId : 'toolCallId' in event ? event.toolCallId : ''}`;
    if (name === 'TOOL_RESULT') open.set(id, edge === 'START' ? 1 : 0);
    else open.set(id, (open.get(id) ?? 0) + (edge === 'START' ? 1 : -1));
  }
  return [...open].filter(([, count]) => count !== 0);
}

/** Calls without exactly one result between them and the blocks of the next model call. */
export function unanswered(content: readonly ContentBlock[]): readonly string[] {
  const faults: string[] = [];
  let open: string[] = [];
  let call: number | undefined;
  for (const block of content) {
    if (block.type !== 'tool_result' && block.call !== call) {
      faults.push(...open.map((id) => `${id} has no result`));
      [open, call] = [[], block.call];
    }
    if (block.type === 'tool_use') open.push(block.id);
    if (block.type !== 'tool_result') continue;
    if (!open.includes(block.id) || block.state === 'running') faults.push(`result ${block.id} answers nothing`);
    open = open.filter((id) => id !== block.id);
  }
  return [...faults, ...open.map((id) => `${id} has no result`)];
}
