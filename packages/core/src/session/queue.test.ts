import { expect, test } from 'vitest';
import { RunQueue } from './queue.ts';

test('C083 runs on one session follow each other in the order they came', async () => {
  const queue = new RunQueue('s');
  const log: string[] = [];
  const run = (name: string) =>
    queue.run(async () => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name} ends`);
    });
  await Promise.all([run('a'), run('b'), run('c')]);
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  expect(queue.busy()).toBe(false);
});

test('C083 mode reject refuses with agent/busy and leaves the queue as it was', async () => {
  const queue = new RunQueue('s');
  const leave = await queue.enter();
  await expect(queue.enter({ mode: 'reject' })).rejects.toMatchObject({ code: 'agent/busy', details: { sessionId: 's' } });
  leave();
  (await queue.enter({ mode: 'reject' }))();
});

test('an aborted wait gives up its place and leaves no listener behind', async () => {
  const queue = new RunQueue('s');
  const leave = await queue.enter();
  const gone = countingController();
  const kept = countingController();
  const aborted = queue.enter({ signal: gone.signal });
  const next = queue.enter({ signal: kept.signal });
  gone.abort(new Error('changed my mind'));
  await expect(aborted).rejects.toThrow('changed my mind');
  leave();
  leave();
  (await next)();
  expect([gone.listeners(), kept.listeners(), queue.waiting, queue.busy()]).toEqual([0, 0, 0, false]);
  await expect(queue.enter({ signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow('too late');
  expect(queue.busy()).toBe(false);
});

test('a run that throws sets the session free', async () => {
  const queue = new RunQueue('s');
  await expect(queue.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(queue.busy()).toBe(false);
});

function countingController(): { signal: AbortSignal; abort(reason: Error): void; listeners(): number } {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
  signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
  return {
    signal,
    abort: (reason) => {
      controller.abort(reason);
      listeners--; // an aborted `once` listener is gone
    },
    listeners: () => listeners,
  };
}
