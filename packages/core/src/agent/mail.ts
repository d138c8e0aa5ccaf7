import { parseEvent, toJava2 } from '../event/index.ts';
import { isObject, isoTime, newId } from '../internal/index.ts';
import type { Clock, JsonObject, JsonValue } from '../internal/index.ts';
import { parseMsg, UserMessage } from '../message/index.ts';
import type { Msg, MsgData } from '../message/index.ts';
import type { InboxItem, Journal } from '../session/index.ts';
import type { Answer } from './agent.ts';

/** Somebody elsewhere asks for a stop. */
export interface StopRequest {
  readonly itemId: string;
  /** The reply that was running when it was asked for; without: whichever runs. */
  readonly replyId: string | undefined;
}

/** What an inbox held, told apart. */
export interface Mail {
  /** Every item but the inputs, those that nobody can read among them: done once the rest is durable. */
  readonly ids: readonly string[];
  readonly answers: readonly Answer[];
  /** Messages to take in: observed ones, and the words of an interrupt. */
  readonly observed: readonly Msg[];
  readonly steers: readonly Msg[];
  /** Ids of steering messages that were taken back. */
  readonly revoked: readonly string[];
  readonly stops: readonly StopRequest[];
  readonly inputs: readonly { readonly itemId: string; readonly msg: Msg }[];
}

export const NO_MAIL: Mail = { ids: [], answers: [], observed: [], steers: [], revoked: [], stops: [], inputs: [] };

/** Reads items in order. Message ids come with them, or are the item's, so that one that is read twice is one all the same. */
export function readMail(items: readonly InboxItem[]): Mail {
  if (items.length === 0) return NO_MAIL;
  const mail = { ids: [] as string[], answers: [] as Answer[], observed: [] as Msg[], steers: [] as Msg[], revoked: [] as string[], stops: [] as StopRequest[], inputs: [] as { itemId: string; msg: Msg }[] };
  for (const item of items) {
    try {
      sort(item, mail);
    } catch {
      // Nobody can read it now or later, and the one who posted it is not here to be told.
    }
    if (mail.inputs.at(-1)?.itemId !== item.id) mail.ids.push(item.id);
  }
  return mail;
}

interface OpenMail {
  readonly answers: Answer[];
  readonly observed: Msg[];
  readonly steers: Msg[];
  readonly revoked: string[];
  readonly stops: StopRequest[];
  readonly inputs: { itemId: string; msg: Msg }[];
}

function sort(item: InboxItem, mail: OpenMail): void {
  const { id, kind, body } = item;
  if (kind === 'answer') mail.answers.push(...toAnswer(body));
  else if (kind === 'observe') mail.observed.push(toMsg(item, body));
  else if (kind === 'input') mail.inputs.push({ itemId: id, msg: toMsg(item, body) });
  else if (kind === 'steer') {
    if (isObject(body) && typeof body['revoke'] === 'string') mail.revoked.push(body['revoke']);
    else mail.steers.push(toMsg(item, body));
  } else if (kind === 'interrupt') {
    const asked = isObject(body) && !('role' in body) ? body : { message: body };
    const { replyId, message } = asked;
    mail.stops.push({ itemId: id, replyId: typeof replyId === 'string' ? replyId : undefined });
    if (message !== null && message !== undefined && message !== '') mail.observed.push(toMsg(item, message));
  }
}

function toAnswer(body: JsonValue): readonly Answer[] {
  const event = parseEvent(body);
  return event.type === 'USER_CONFIRM_RESULT' || event.type === 'EXTERNAL_EXECUTION_RESULT' ? [event] : [];
}

/** A message, or a user's words. */
function toMsg({ id, at }: InboxItem, body: JsonValue | undefined): Msg {
  if (typeof body === 'string') return new UserMessage({ id, name: 'user', content: body, timestamp: at });
  const named = isObject(body) && typeof body['id'] !== 'string' ? { ...body, id } : body;
  return parseMsg(named as JsonObject);
}

/** Takes in what needs no reply; what is in the journal already is not taken again. */
export function takeIn(journal: Journal, { observed, steers, revoked }: Mail): void {
  journal.accept(observed);
  journal.accept(steers, { steer: true });
  for (const id of revoked) revokeSteer(journal, id);
}

/** Takes a steering message out of the context, unless a reply has read it: then false. */
export function revokeSteer(journal: Journal, id: string): boolean {
  if (!journal.steers().some((msg) => msg.id === id)) return false;
  journal.edit({ op: 'delete', id });
  return true;
}

/** State that keeps which interrupts had their effect: applied once, also when a crash came before they were taken out of the inbox. */
const STOPPED = 'agentscope:inbox';
const STOPS_KEPT = 50;

/** The stops that concern a reply and had no effect yet; from now on they have. */
export function takeStops(journal: Journal, { stops }: Mail, replyId: string): boolean {
  if (stops.length === 0) return false;
  const value = journal.state(STOPPED);
  const known = Array.isArray(value) ? value.map(String) : [];
  const fresh = stops.filter((stop) => !known.includes(stop.itemId) && (stop.replyId === undefined || stop.replyId === replyId));
  if (fresh.length === 0) return false;
  journal.set(STOPPED, [...known, ...fresh.map(({ itemId }) => itemId)].slice(-STOPS_KEPT));
  return true;
}

/** An item that says an answer. Said twice, the second finds no question any more. */
export function answerItem(answer: Answer, clock: Clock): InboxItem {
  return { id: newId(), at: isoTime(clock()), kind: 'answer', body: toJava2(answer, { extensions: true }) };
}

export function messageItem(kind: 'steer' | 'observe' | 'input', msg: MsgData, clock: Clock): InboxItem {
  return { id: msg.id, at: isoTime(clock()), kind, body: toJava2(msg, { extensions: true }) };
}

export function revokeItem(steerId: string, clock: Clock): InboxItem {
  return { id: newId(), at: isoTime(clock()), kind: 'steer', body: { revoke: steerId } };
}

export function interruptItem({ replyId, message }: { readonly replyId: string; readonly message: Msg | undefined }, clock: Clock): InboxItem {
  const words = message && { message: toJava2(message, { extensions: true }) };
  return { id: newId(), at: isoTime(clock()), kind: 'interrupt', body: { replyId, ...words } };
}
