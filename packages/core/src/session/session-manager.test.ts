import { expect, test } from 'vitest';
import type { JsonValue } from '../internal/index.ts';
import { nothingSaved, stateOwner } from '../state/index.ts';
import type { StateModule, StateOwner, StateStore } from '../state/index.ts';
import { defineTool, Toolkit } from '../tool/index.ts';
import { InMemorySession, SessionManager } from './index.ts';

/** A component as a user would write it; it has no name but its class's. */
class Counter implements StateModule {
  value: JsonValue;
  constructor(value: JsonValue) {
    this.value = value;
  }
  async saveTo(store: StateStore, key: StateOwner | string, component = 'counter'): Promise<void> {
    await store.save(stateOwner(key), component, this.value);
  }
  async loadFrom(store: StateStore, key: StateOwner | string, component = 'counter'): Promise<void> {
    if (!(await this.loadIfExists(store, key, component))) throw nothingSaved({ key: stateOwner(key), component });
  }
  async loadIfExists(store: StateStore, key: StateOwner | string, component = 'counter'): Promise<boolean> {
    const saved = await store.get(stateOwner(key), component);
    if (saved === undefined) return false;
    this.value = saved;
    return true;
  }
}

const notFound = (sessionId: string): unknown => expect.objectContaining({ code: 'session/not-found', details: { sessionId } });
const withGroups = (active: boolean): Toolkit => new Toolkit({ groups: [{ name: 'files', description: '', tools: [], active }, { name: 'web', description: '', tools: [] }] });
const activeOf = (toolkit: Toolkit): readonly unknown[] => toolkit.groups.map(({ name, active = true }) => [name, active]);

test('components are saved under their own names, else their class names, and come back', async () => {
  const store = new InMemorySession();
  await SessionManager.forSessionId('s').withSession(store).addComponent(new Counter(3)).addComponent(new Counter(4), 'second').addComponent(withGroups(false)).saveSession();
  const names = ['counter', 'second', 'toolkit'];
  expect(await Promise.all(names.map((name) => store.get({ sessionId: 's' }, name)))).toEqual([3, 4, { activated_groups: ['web'] }]);

  const [first, second, toolkit] = [new Counter(0), new Counter(0), withGroups(true)];
  const manager = SessionManager.forSessionId('s').withSession(store).addComponent(first).addComponent(second, 'second').addComponent(toolkit);
  expect(await manager.loadIfExists()).toBe(true);
  expect([first.value, second.value, activeOf(toolkit)]).toEqual([3, 4, [['files', false], ['web', true]]]);
});

test('a name is given once', () => {
  const manager = SessionManager.forSessionId('s').addComponent(new Counter(1));
  expect(() => manager.addComponent(new Counter(2))).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option: 'name' } }));
});

test('without a store it says what is missing', async () => {
  await expect(SessionManager.forSessionId('s').addComponent(new Counter(1)).saveSession()).rejects.toMatchObject({ code: 'config/invalid', message: expect.stringContaining('withSession') as unknown });
});

test('S4-069 what is not there: the gentle forms say false and change nothing, the others throw session/not-found', async () => {
  const counter = new Counter(1);
  const manager = SessionManager.forSessionId('s').withSession(new InMemorySession()).addComponent(counter);
  expect([await manager.sessionExists(), await manager.loadIfExists(), await manager.saveIfExists(), await manager.deleteIfExists()]).toEqual([false, false, false, false]);
  await expect(manager.loadOrThrow()).rejects.toEqual(notFound('s'));
  await expect(manager.saveOrThrow()).rejects.toEqual(notFound('s'));
  await expect(manager.deleteOrThrow()).rejects.toEqual(notFound('s'));
  expect(counter.value).toBe(1);

  await manager.saveSession();
  counter.value = 2;
  expect([await manager.sessionExists(), await manager.saveIfExists()]).toEqual([true, true]);
  counter.value = 3;
  await manager.loadOrThrow();
  expect(counter.value).toBe(2);
  await manager.deleteOrThrow();
  expect(await manager.sessionExists()).toBe(false);
});

test('users do not share a session id', async () => {
  const store = new InMemorySession();
  await SessionManager.forSessionId('s', 'ann').withSession(store).addComponent(new Counter(1)).saveSession();
  expect(await SessionManager.forSessionId('s', 'bob').withSession(store).addComponent(new Counter(0)).loadIfExists()).toBe(false);
  expect(await SessionManager.forSessionId('s').withSession(store).addComponent(new Counter(0)).loadIfExists()).toBe(false);
  expect(await SessionManager.forSessionId('s', 'ann').withSession(store).addComponent(new Counter(0)).loadIfExists()).toBe(true);
});

test('a component added later stays as it is while the others are loaded', async () => {
  const store = new InMemorySession();
  await SessionManager.forSessionId('s').withSession(store).addComponent(new Counter(1)).saveSession();
  const [old, added] = [new Counter(0), new Counter(9)];
  await SessionManager.forSessionId('s').withSession(store).addComponent(old).addComponent(added, 'added').loadOrThrow();
  expect([old.value, added.value]).toEqual([1, 9]);
});

test('disposing of it saves, as `await using` does', async () => {
  const store = new InMemorySession();
  const counter = new Counter(1);
  const manager = SessionManager.forSessionId('s').withSession(store).addComponent(counter);
  counter.value = 5;
  expect(await manager.sessionExists()).toBe(false);
  await manager[Symbol.asyncDispose]();
  expect(await store.get({ sessionId: 's' }, 'counter')).toBe(5);
});

test('S4-068 a toolkit and a memory tell what was saved from nothing', async () => {
  const store = new InMemorySession();
  await expect(withGroups(true).loadFrom(store, 's')).rejects.toEqual(notFound('s'));
  await store.save({ sessionId: 's' }, 'toolkit', 'no state');
  await expect(withGroups(true).loadFrom(store, 's')).rejects.toMatchObject({ code: 'config/invalid' });
  await store.save({ sessionId: 's' }, 'toolkit', { activated_groups: ['gone', 'files'] });
  const toolkit = withGroups(true);
  await toolkit.loadFrom(store, 's');
  expect(activeOf(toolkit)).toEqual([['files', true], ['web', false]]);
  toolkit.registerTool(defineTool({ name: 'fetch', description: '', execute: () => '' }), { group: 'web' });
  expect(toolkit.getToolSchemas()).toEqual([]);
  await store.save({ sessionId: 's' }, 'toolkit', { activated_groups: ['web'] });
  await toolkit.loadFrom(store, 's');
  expect(toolkit.getToolSchemas().map(({ name }) => name)).toEqual(['fetch']);
});
