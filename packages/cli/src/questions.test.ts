import { defineTool, ReActAgent } from '@agentscope/core';
import type { ConfirmQuestion } from '@agentscope/core';
import { scriptedModel } from '@agentscope/core/testing';
import { expect, test } from 'vitest';
import { askPerson } from './questions.ts';

const launch = defineTool({
  name: 'launch',
  description: 'Launches a rocket.',
  input: { type: 'object', properties: { rocket: { type: 'string' } }, required: ['rocket'] },
  checkPermission: () => ({ behavior: 'ask', message: 'This cannot\nbe undone.' }),
  execute: ({ rocket }) => `${rocket} flies`,
});

function paused() {
  const model = scriptedModel([{ tool: 'launch', input: { rocket: 'A' } }, { tool: 'launch', input: { rocket: 'B\u009b2J' } }], 'Done.');
  return new ReActAgent({ name: 'Friday', model, toolkit: [launch] }).session({ sessionId: 's' });
}

/** Answers from a list; what was shown is kept. */
function person(...lines: string[]) {
  const prompts: string[] = [];
  return { prompts, readLine: async (prompt: string) => (prompts.push(prompt), lines.shift()) };
}

test('each call is asked about until there is a yes or a no, and only what was allowed runs', async () => {
  const session = paused();
  await session.call('Launch both.');
  const questions: readonly ConfirmQuestion[] = await session.pending('confirm');
  const { prompts, readLine } = person('what?', ' Y ', 'no');
  const answers = await askPerson(questions, readLine);
  expect(prompts).toEqual([
    'This cannot be undone. Run launch {"rocket":"A"}? [y]es [n]o [a]lways [e]dit ',
    'This cannot be undone. Run launch {"rocket":"A"}? [y]es [n]o [a]lways [e]dit ',
    'This cannot be undone. Run launch {"rocket":"B2J"}? [y]es [n]o [a]lways [e]dit ',
  ]);
  const reply = await session.call(answers);
  expect(reply.getTextContent()).toBe('Done.');
  expect(reply.getToolCalls().map(({ result }) => result?.state)).toEqual(['success', 'denied']);
});

test('without an answer to every question there is none at all', async () => {
  const session = paused();
  await session.call('Launch both.');
  expect(await askPerson(await session.pending('confirm'), person('y').readLine)).toBeUndefined();
  expect((await session.pending('confirm')).length).toBe(2);
});

test('always does not ask again for the same; edit runs other arguments', async () => {
  const model = scriptedModel([{ tool: 'launch', input: { rocket: 'A' } }, { tool: 'launch', input: { rocket: 'B' } }], { tool: 'launch', input: { rocket: 'B' } }, 'Done.');
  const session = new ReActAgent({ name: 'Friday', model, toolkit: [launch] }).session({ sessionId: 's' });
  await session.call('Launch.');
  const { prompts, readLine } = person('e', '', 'e', '[1]', '{"rocket":"X"}', 'always');
  const reply = await session.call(await askPerson(await session.pending('confirm'), readLine));
  expect(prompts.filter((prompt) => prompt.startsWith('That is no JSON object.')).length).toBe(1);
  expect([reply.getTextContent(), reply.getToolCalls().map(({ call }) => call.input['rocket'])]).toEqual(['Done.', ['X', 'B', 'B']]);
});
