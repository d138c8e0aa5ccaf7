import type { AgentCore } from './agent-core.ts';
import { AgentSession } from './agent-session.ts';
import type { Core } from './cores.ts';

/** An agent as those see it that ask it by a tool. */
export function coreAsChild(core: AgentCore): Core {
  return {
    config: core.config,
    read: (key) => core.read(key),
    pending: (key) => core.pending(key),
    session: (key) => new AgentSession(core, key),
    livingIn: (store) => coreAsChild(core.livingIn(store)),
  };
}
