import { expect, test } from 'vitest';
import { foldEvents } from '../event/index.ts';
import { UserMessage } from '../message/index.ts';
import type { Msg } from '../message/index.ts';
import { collect } from '../testing/index.ts';
import { UserAgent } from './user-agent.ts';

const texts = (messages: readonly Msg[]) => messages.map((msg) => msg.getTextContent());

test('asks with what it heard, and gives back what the person says', async () => {
  const prompts: string[][] = [];
  const ann = new UserAgent({ name: 'Ann', input: (prompt) => (prompts.push(texts(prompt)), `answer ${prompts.length}`) });
  await ann.observe(new UserMessage('Bob', 'Hi.'));
  const msg = await ann.call('Well?');
  expect([msg.role, msg.name, msg.getTextContent()]).toEqual(['USER', 'Ann', 'answer 1']);
  expect((await ann.call()).getTextContent()).toBe('answer 2');
  expect(prompts).toEqual([['Hi.', 'Well?'], []]);
});

test('I12 sessions hear only what was said in them', async () => {
  const prompts: string[][] = [];
  const ann = new UserAgent({ input: (prompt) => (prompts.push(texts(prompt)), 'x') });
  await ann.observe(new UserMessage('a'), { sessionId: '1' });
  await ann.observe(new UserMessage('b'), { sessionId: '2' });
  await ann.call(undefined, { sessionId: '2' });
  await ann.call(undefined, { sessionId: '1', userId: 'u' });
  await ann.call(undefined, { sessionId: '1' });
  expect(prompts).toEqual([['b'], [], ['a']]);
});

test('the stream has start, words and end, and folds to what was said', async () => {
  const ann = new UserAgent({ input: () => [{ type: 'text', text: 'see' }, { type: 'data', source: { type: 'url', url: 'https://a.example/x.png', mediaType: 'image/png' } }] });
  const stream = ann.streamEvents('?');
  const events = await collect(stream);
  expect(events.map(({ type }) => type)).toEqual(['AGENT_START', 'TEXT_BLOCK_START', 'TEXT_BLOCK_DELTA', 'TEXT_BLOCK_END', 'AGENT_RESULT', 'AGENT_END']);
  expect(foldEvents(events).getTextContent()).toBe('see');
  expect((await stream.result).content).toHaveLength(2);
  expect(await collect(stream)).toEqual(events);
});

test('an interrupt ends the wait; the signal of the caller rejects', async () => {
  const forever = new UserAgent({ input: () => new Promise<string>(() => undefined) });
  const asked = forever.call();
  expect(await forever.interrupt()).toEqual({ replyId: (await asked).id });
  expect((await asked).generateReason).toBe('INTERRUPTED');
  await expect(forever.call('?', { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
  expect(await forever.interrupt()).toEqual({ replyId: null });
});

test('what the input throws rejects, and the next call asks again', async () => {
  let times = 0;
  const ann = new UserAgent({ input: () => (++times === 1 ? Promise.reject(new Error('no terminal')) : 'hello') });
  await expect(ann.call()).rejects.toThrow('no terminal');
  expect((await ann.call()).getTextContent()).toBe('hello');
  expect(() => new UserAgent({} as never)).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option: 'input' } }));
});

test('a schema is refused where the input takes none: what a person says is no data', async () => {
  const asked: string[] = [];
  const user = new UserAgent({ input: () => (asked.push('asked'), 'hm') });
  await expect(user.call('n?', { schema: { type: 'object' } })).rejects.toMatchObject({ code: 'config/invalid', details: { option: 'schema' } });
  expect(asked).toEqual([]);
});
