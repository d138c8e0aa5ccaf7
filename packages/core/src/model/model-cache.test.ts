import { expect, test } from 'vitest';
import { defineChatModel } from './define.ts';
import type { ModelContext } from './context.ts';
import { ModelRegistryStore } from './registry.ts';

const saying = () => defineChatModel({ provider: 'own', modelName: 'm', async *stream() {} });
/** A registry whose models tell what they were made for. */
function counting(cache?: 'never' | 'tenant') {
  const registry = new ModelRegistryStore();
  const made: ModelContext[] = [];
  registry.registerFactory('own', (_name, context) => (made.push(context), saying()), { cache });
  return { registry, made, resolve: (id: string, context?: ModelContext) => registry.resolve(id, context) };
}

test('without a policy each model is made anew, and its factory is told who it is for', async () => {
  const { resolve, made } = counting();
  expect(await resolve('own:a', { tenant: 't' })).not.toBe(await resolve('own:a', { tenant: 't' }));
  expect(made).toEqual([{ tenant: 't' }, { tenant: 't' }]);
});

test('kept by tenant: one model for each id and tenant, also when asked at once, and never another tenant\'s', async () => {
  const { resolve, made } = counting('tenant');
  const [a, again] = await Promise.all([resolve('own:a', { tenant: 't' }), resolve('own:a', { tenant: 't' })]);
  expect(a).toBe(again);
  const others = [await resolve('own:a', { tenant: 'u' }), await resolve('own:a'), await resolve('own:b', { tenant: 't' }), await resolve('own:a', { tenant: '["t"]' })];
  expect(new Set([a, ...others]).size).toBe(5);
  expect([await resolve('own:a'), made.length]).toEqual([others[1], 5]);
});

test('a new credential makes a new model; one for nobody in particular is not kept', async () => {
  const { resolve } = counting('tenant');
  const key = (apiKey: string): ModelContext => ({ tenant: 't', credential: { apiKey, headers: { a: '1' } } });
  const first = await resolve('own:a', key('one'));
  expect(await resolve('own:a', key('one'))).toBe(first);
  const second = await resolve('own:a', key('two'));
  expect(second).not.toBe(first);
  expect(await resolve('own:a', key('two'))).toBe(second);
  expect(await resolve('own:a', { credential: { apiKey: 'x' } })).not.toBe(await resolve('own:a', { credential: { apiKey: 'x' } }));
});

test('one that could not be made is tried again; what is forgotten or registered anew is made again', async () => {
  const registry = new ModelRegistryStore();
  let tries = 0;
  const factory = () => {
    if (++tries === 1) throw new Error('not yet');
    return saying();
  };
  registry.registerFactory('own', factory, { cache: 'tenant' });
  await expect(registry.resolve('own:a', { tenant: 't' })).rejects.toThrow('not yet');
  const [a, b] = [await registry.resolve('own:a', { tenant: 't' }), await registry.resolve('own:a', { tenant: 'u' })];
  registry.forget('t');
  expect([(await registry.resolve('own:a', { tenant: 't' })) === a, (await registry.resolve('own:a', { tenant: 'u' })) === b]).toEqual([false, true]);
  registry.registerFactory('own', factory, { cache: 'tenant' });
  expect(await registry.resolve('own:a', { tenant: 'u' })).not.toBe(b);
});

test('at most a thousand are kept; the one asked for least lately goes first', async () => {
  const { resolve } = counting('tenant');
  const [first, second] = [await resolve('own:0'), await resolve('own:1')];
  for (let n = 2; n < 1_000; n++) await resolve(`own:${n}`);
  expect(await resolve('own:0')).toBe(first);
  await resolve('own:1000');
  expect([(await resolve('own:0')) === first, (await resolve('own:1')) === second]).toEqual([true, false]);
});
