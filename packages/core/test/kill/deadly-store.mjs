// A store that kills its process at a write of the plan's choice: before it, in its middle, or right after it.
import { open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { wrapped } from './stores.mjs';

/** Nothing of this process runs behind it. */
export function die() {
  process.kill(process.pid, 'SIGKILL');
}

/**
 * `kill` is `{ at, phase, fraction, write }`: which write (of all sessions), `before`, `torn` or `after` it; of a torn one how much of
 * its bytes come through, and at which write to the socket. Leases run out after `ttlMs`, since nobody waits for a killed process here.
 */
export async function deadlyStore(inner, { kill, ttlMs, note }) {
  const tear = await tearing(inner.store);
  let writes = 0;
  const step = async (what, write) => {
    const phase = ++writes === kill?.at ? kill.phase : undefined;
    const dieHere = (killed) => {
      note({ killed, what });
      die();
    };
    if (phase === 'before') dieHere(phase);
    if (phase === 'torn') tear(kill, () => dieHere(phase));
    const answer = await write();
    if (phase !== undefined) dieHere('after'); // also what was over before it could be torn
    return answer;
  };
  return wrapped(inner, {
    lease: (key, options) => inner.lease(key, { ...options, ttlMs }),
    append: (key, entries, options) =>
      step(labelOf(key, entries), async () => {
        await inner.append(key, entries, options);
        for (const fact of durableFacts(entries)) note({ durable: fact, session: key.sessionId });
      }),
    acknowledge: (key, ids) => (ids.length === 0 ? inner.acknowledge(key, ids) : step('inbox taken', () => inner.acknowledge(key, ids))),
    post: (key, item) => step('inbox posted', () => inner.post(key, item)),
  });
}

/** What the newest entry of an append that matters is about. */
function labelOf({ sessionId }, entries) {
  const whose = sessionId.includes('/') ? 'child: ' : '';
  const events = entries.flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []));
  const last = events.findLast(({ type }) => type in LABELS);
  if (last === undefined) return whose + (entries.at(-1)?.kind === 'epoch' ? 'epoch' : 'deltas');
  const isIntent = last.type === 'TOOL_RESULT_START';
  return whose + LABELS[last.type] + (isIntent || last.type === 'TOOL_RESULT_END' ? ` of ${last.toolCallName}` : '');
}
const LABELS = {
  AGENT_START: 'input',
  MODEL_CALL_END: 'model call',
  TOOL_RESULT_START: 'intent',
  TOOL_RESULT_END: 'result',
  REQUIRE_USER_CONFIRM: 'question',
  USER_CONFIRM_RESULT: 'answer',
  AGENT_END: 'end',
};

function durableFacts(entries) {
  return entries.flatMap((entry) => {
    if (entry.kind === 'input') return [{ input: entry.msg.id }];
    const event = entry.kind === 'event' ? entry.event : undefined;
    return event?.type === 'TOOL_RESULT_END' ? [{ result: event.toolCallId, reply: event.replyId, state: event.state }] : [];
  });
}

/** How a write of this store is cut in two. Once armed, `dies` is called in its middle. */
async function tearing(store) {
  let armed;
  if (store === 'file') {
    const probe = await open(new URL(import.meta.url));
    const FileHandle = Object.getPrototypeOf(probe);
    await probe.close();
    const { write } = FileHandle;
    FileHandle.write = async function (bytes, offset, length, position) {
      if (armed === undefined) return write.call(this, bytes, offset, length, position);
      const part = Math.floor(length * armed.fraction);
      if (part > 0) await write.call(this, bytes, offset, part, position);
      return armed.dies();
    };
  } else if (store === 'sqlite') {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const { exec } = DatabaseSync.prototype;
    DatabaseSync.prototype.exec = function (sql) {
      if (armed !== undefined && sql === 'COMMIT') armed.dies();
      return exec.call(this, sql);
    };
  } else {
    const { write } = Socket.prototype;
    let isTorn = false;
    Socket.prototype.write = function (chunk, ...rest) {
      if (isTorn) return true; // what dies in the middle of a write says nothing behind it
      if (armed === undefined || --armed.left > 0) return write.call(this, chunk, ...rest);
      const { dies, fraction } = armed;
      armed = undefined;
      isTorn = true;
      const bytes = Buffer.from(chunk);
      return write.call(this, bytes.subarray(0, Math.max(1, Math.floor(bytes.length * fraction))), dies);
    };
  }
  return ({ fraction, write }, dies) => {
    // Redis is sent an append in one write.
    armed = { fraction, left: store === 'redis' ? 1 : write, dies };
  };
}
