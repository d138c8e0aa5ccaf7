import type { Context } from '@opentelemetry/api';
import type { RunContext } from '../hook/index.ts';

/**
 * Spans of the tools that run now, by the session an agent would have that they ask (`<session>/<key of the call>`, see `agentAsTool`).
 * So a child finds its parent also where no context manager follows asynchronous calls.
 */
const running = new Map<string, Context>();

export function childSession({ userId, sessionId }: Pick<RunContext, 'userId' | 'sessionId'>, key: string): string {
  return sessionName({ userId, sessionId: `${sessionId}/${key}` });
}

/** The span of the tool that asks the agent of this run. */
export function askedBy(ctx: RunContext): Context | undefined {
  return running.get(sessionName(ctx));
}

export function toolRuns(session: string, context: Context): void {
  running.set(session, context);
}

export function toolEnded(session: string): void {
  running.delete(session);
}

function sessionName({ userId, sessionId }: Pick<RunContext, 'userId' | 'sessionId'>): string {
  return JSON.stringify([userId ?? null, sessionId]);
}
