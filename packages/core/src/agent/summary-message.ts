import { Msg } from '../message/index.ts';

/** What stands for the messages that were condensed away, as the model is shown it: before all others, as the user. */
export function summaryMessage(summary: string): Msg {
  return new Msg({ id: 'agentscope-summary', role: 'USER', content: `Summary of the conversation so far:\n${summary}`, timestamp: null, metadata: { agentscope_synthetic: true } });
}
