import { ReActAgent } from '@agentscope/core';
import type { Msg } from '@agentscope/core';
import { JsonSession } from '@agentscope/core/store/file';
import { scriptedModel } from '@agentscope/core/testing';

/** What a session in the default folder below `cwd` holds, read through the library. */
export function storedMessages(cwd: string, sessionId: string): Promise<readonly Msg[]> {
  const agent = new ReActAgent({ name: 'Friday', model: scriptedModel(), session: new JsonSession(`${cwd}/.agentscope/sessions`) });
  return agent.session({ sessionId }).messages();
}
