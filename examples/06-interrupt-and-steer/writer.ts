// Writes a report and prints it as it comes. Ctrl-C stops it politely, and so does another process (desk.ts), which may also say something.
//   node dist/writer.js
// Works in the current folder: conversations in .agentscope/sessions.
import { existsSync } from 'node:fs';
import { ReActAgent } from '@agentscope/core';
import { JsonSession } from '@agentscope/core/store/file';
import { scriptedModel } from '@agentscope/core/testing';

/** The stand-in for a model takes its time: it waits until the file `steered` is there. */
const steered = new Promise<void>((resolve) => {
  const timer = setInterval(() => existsSync('steered') && (clearInterval(timer), resolve()), 20);
});
const script = scriptedModel([{ text: 'Tea comes from China. ' }, { until: steered }], [{ text: 'In short: leaves and hot water. ' }, { hang: true }]);

const agent = new ReActAgent({
  name: 'Writer',
  model: process.env['OPENAI_API_KEY'] === undefined ? script : 'openai:gpt-5.5',
  session: new JsonSession('.agentscope/sessions'),
});
const session = agent.session({ sessionId: 'report' });
process.once('SIGINT', () => void session.interrupt({ message: 'Stop here, that is enough.' }));

const stream = session.streamEvents('Write a long report on tea.');
for await (const piece of stream.text()) process.stdout.write(piece);
const { generateReason } = await stream.result; // not an error: the text so far is kept, and the session is sound
console.log(`[${generateReason}]`);
