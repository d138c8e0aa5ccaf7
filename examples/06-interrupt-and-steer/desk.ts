// Speaks to a reply that runs in another process: both go through the session's inbox.
//   node dist/desk.js steer "Shorter, please."
//   node dist/desk.js stop "That is enough."
import { ReActAgent } from '@agentscope/core';
import { JsonSession } from '@agentscope/core/store/file';
import { scriptedModel } from '@agentscope/core/testing';

const [command, words = ''] = process.argv.slice(2);
// The same name and the same store; the model of this one is never asked.
const agent = new ReActAgent({ name: 'Writer', model: scriptedModel(), session: new JsonSession('.agentscope/sessions') });
const session = agent.session({ sessionId: 'report' });

if (command === 'steer') {
  await session.steer(words);
  console.log('said, and written down');
} else {
  const { replyId } = await session.interrupt({ message: words });
  console.log(replyId === null ? 'nothing was running' : 'asked to stop');
}
