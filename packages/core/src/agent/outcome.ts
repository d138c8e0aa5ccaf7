import { AgentScopeError } from '../error/index.ts';
import type { ErrorCode } from '../error/index.ts';
import { isObject } from '../internal/index.ts';
import { ERROR_KEY } from '../message/index.ts';
import type { Msg } from '../message/index.ts';
import type { ActiveReply } from './active-reply.ts';

/** How a call ends: only failures and the caller's own signal reject; every other ending is in `generateReason` (DX §3). */
export function outcomeOf(reply: ActiveReply, signal: AbortSignal | undefined): Msg {
  const msg = reply.message();
  if (signal?.aborted && msg.generateReason === 'INTERRUPTED') throw signal.reason;
  if (reply.failure && isObject(msg.metadata[ERROR_KEY])) throw reply.failure.error;
  return succeeded(msg);
}

/** The message, unless its reply failed: then the failure as the record has it. */
export function succeeded(msg: Msg): Msg {
  const error = msg.metadata[ERROR_KEY];
  if (!isObject(error)) return msg;
  const type = String(error['type']);
  if (type === 'agent/structured-output-invalid') return gaveUpBefore(String(error['message']));
  const code = /^(model|agent|session|config|media)\//.test(type) ? (type as ErrorCode) : 'model/failed';
  throw new AgentScopeError(code as 'model/failed', String(error['message']), { details: { provider: '', retryable: false } });
}

/** Found ended so: this call made no try of its own, and what they were is in the message. */
function gaveUpBefore(message: string): never {
  throw new AgentScopeError('agent/structured-output-invalid', message, { details: { attempts: 0, paths: [], text: '' } });
}

/** By itself, not by an interrupt or a failure: what was said too late is then worth a reply of its own. */
export function endedWell(reply: ActiveReply): boolean {
  const { generateReason, metadata } = reply.message();
  return generateReason !== 'INTERRUPTED' && metadata[ERROR_KEY] === undefined;
}
