import { fork } from 'node:child_process';

const file = (name) => new URL(`../${name}`, import.meta.url);

/** Starts the mock server; `stop()` ends it. */
export async function startServer() {
  const child = fork(file('mock-server.mjs'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const { port } = await firstMessage(child, 10_000);
  return { baseUrl: `http://127.0.0.1:${port}/v1`, stop: () => child.disconnect() };
}

/** Runs one measurement in a fresh process and waits until that process is gone. */
export async function measure(task, timeoutMs = 180_000) {
  const child = fork(file('worker.mjs'), [JSON.stringify(task)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: { ...process.env, NODE_ENV: 'production' } });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  try {
    const answer = await firstMessage(child, timeoutMs);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  } finally {
    child.kill();
    await gone;
  }
}

function firstMessage(child, timeoutMs) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`the process ended with ${code} before it answered`)));
    child.once('error', reject);
    child.once('message', () => clearTimeout(timer));
    child.once('exit', () => clearTimeout(timer));
  });
}
