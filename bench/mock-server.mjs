// A model that answers at once, in a process of its own. Chat Completions over `POST …/chat/completions`, streaming only.
// Started by `lib/processes.mjs`; tells its port over IPC and ends with its parent.
import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { writesFor } from './lib/scenarios.mjs';

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy()); // the client went away
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', 1024, () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit(0));

async function answer(request, response) {
  const body = await read(request);
  const writes = writesFor(modelOf(body), count(body, '"role":"tool"'));
  if (writes === undefined) return response.writeHead(404).end('{"error":{"message":"no such scenario"}}');
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  await send(response, writes);
}

async function read(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

// Text search instead of JSON.parse keeps the server cheap when requests grow long.
const modelOf = (body) => /"model":"([^"]+)"/.exec(body)?.[1] ?? '';
const count = (body, word) => body.split(word).length - 1;

/** One turn of the event loop between writes, so that they leave as separate packets. */
async function send(response, writes) {
  for (const bytes of writes) {
    if (response.destroyed) return;
    if (!response.write(bytes)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    else await nextTurn();
  }
  response.end();
}
