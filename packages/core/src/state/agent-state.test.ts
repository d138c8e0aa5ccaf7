import { expect, test } from 'vitest';
import { contextKey, createAgentState, createRuntimeContext, createStateSlots, stateKey } from './index.ts';

test('a new state has the defaults of the wire, and none of them is shared', () => {
  const state = createAgentState({ sessionId: 's' });
  expect(state).toEqual({
    sessionId: 's', userId: null, summary: '', context: [], replyId: '', curIter: 0,
    permissionContext: { mode: 'default', working_directories: {}, allow_rules: {}, deny_rules: {}, ask_rules: {} },
    toolContext: { activated_groups: [] }, tasksContext: { tasks: [] },
  });
  expect(createAgentState({ sessionId: 's' }).toolContext).not.toBe(state.toolContext);
  expect(createAgentState({ sessionId: 's', summary: 'x' }).summary).toBe('x');
});

test('a context gives its values by key; a missing one is named', () => {
  const tenant = contextKey<string>('tenant');
  const context = createRuntimeContext([tenant.of('acme')]);
  expect([context.get(tenant), context.find(contextKey('other'))]).toEqual(['acme', undefined]);
  expect(() => context.get(contextKey('__proto__'))).toThrow(expect.objectContaining({ code: 'config/missing-context', details: { key: '__proto__' } }));
});

test('slots read what is there, else the initial value, and hand every change on', () => {
  const changes: unknown[] = [];
  const slots = createStateSlots((name) => (name === 'n' ? 3 : undefined), (...change) => changes.push(change));
  slots.set(stateKey('n', 0), 4);
  expect([slots.get(stateKey('n', 0)), slots.get(stateKey('m', 7)), changes]).toEqual([3, 7, [['n', 4]]]);
});
