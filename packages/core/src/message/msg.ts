import { newId } from '../internal/index.ts';
import type { Role } from './blocks.ts';
import { readBlocks } from './java2/read-block.ts';
import { readMembers, readObject, readText, readTextOrNull, spellings } from './members.ts';
import type { MsgData, MsgInit } from './msg-data.ts';
import { MsgView } from './msg-view.ts';
import { readReason, withReason } from './reason.ts';
import { checkRole, readRole } from './role.ts';
import { notedOutput, noteOutput } from './structured.ts';
import { javaTime } from './times.ts';
import { readUsage } from './usage.ts';

/** The names a message is read by, in code and from Java's JSON. */
export const MSG_NAMES: ReadonlyMap<string, string | null> = /* @__PURE__ */ spellings(['id', 'name', 'role', 'content', 'metadata', 'timestamp', 'usage', 'generateReason', 'finishedAt', 'originalRole']);

/**
 * One turn, immutable. All it holds is plain data: it survives `JSON` and `structuredClone`, and `Msg.from` or the constructor make a
 * message of it again. `Data` is the type of its structured output, known when it came from a call with a `schema`.
 */
export class Msg<Data = unknown> extends MsgView<Data> {
  /**
   * Takes what you write and what `JSON.parse(JSON.stringify(msg))` gives. Strings become text blocks; `role` is read in any case and
   * defaults to `USER`. Lists are copied; `content` and `metadata` are frozen (shallowly). Strict about roles: `parseMsg` repairs.
   *
   * @throws AgentScopeError `message/invalid` with `path` and `rule`: an unknown role or block type, a block its role may not hold
   */
  constructor(init: MsgInit & { readonly role?: Role | Lowercase<Role> }) {
    super();
    const { known, extra } = readMembers(init as unknown as Record<string, unknown>, MSG_NAMES);
    const role = known['role'] === undefined ? 'USER' : readRole(known['role']);
    const content = Object.freeze(readBlocks(known['content'], { path: 'content', unknown: 'invalid' }));
    checkRole(role, content);
    const data: MsgData = {
      id: readText(known['id'], 'id', '') || newId(),
      name: readTextOrNull(known['name'], 'name'),
      role,
      content,
      metadata: Object.freeze(withReason(readObject(known['metadata'], 'metadata'), readReason(known['generateReason']))),
      timestamp: known['timestamp'] === undefined ? javaTime(Date.now()) : readTextOrNull(known['timestamp'], 'timestamp'),
      usage: readUsage(known['usage']),
      ...(typeof known['finishedAt'] === 'string' ? { finishedAt: known['finishedAt'] } : {}),
      ...(typeof known['originalRole'] === 'string' ? { originalRole: known['originalRole'] } : {}),
      ...(extra === undefined ? {} : { extra }),
    };
    Object.assign(this, data);
  }

  /** Wraps plain data without copying or checking; an instance is returned as it is. */
  static override from(data: MsgData): Msg {
    return data instanceof Msg ? data : (Object.assign(Object.create(Msg.prototype) as object, data) as Msg);
  }

  /** A changed copy with the same id; the role stays. @throws AgentScopeError `message/invalid` as the constructor does */
  with(changes: Partial<MsgInit>): Msg<Data> {
    const copy = new Msg<Data>({ ...this, ...changes, role: this.role });
    const noted = changes.metadata === undefined ? notedOutput(this) : undefined;
    if (noted) noteOutput(copy, noted.value);
    return copy;
  }
}
