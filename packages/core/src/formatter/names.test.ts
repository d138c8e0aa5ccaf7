import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FormatterTool } from './formatter.ts';
import { toolNames } from './names.ts';

const tools = (...names: string[]): FormatterTool[] => names.map((name) => ({ name, description: '', inputSchema: {} }));

test('C026 legal names stay, illegal ones are cleaned and told apart, and every one finds its way back', () => {
  const long = 'n'.repeat(80);
  const list = tools('a.b', 'a_b', 'ns/read:file', '查询', `${long}1`, `${long}2`, '');
  const map = toolNames(list);
  expect(list.map(({ name }) => map.toWire(name))).toEqual(['a_b_2', 'a_b', 'ns_read_file', '__', 'n'.repeat(64), `${'n'.repeat(62)}_2`, 'tool']);
  expect(list.map(({ name }) => map.fromWire(map.toWire(name)))).toEqual(list.map(({ name }) => name));
  expect(toolNames(list)).toBe(map);
});

test('names no tool has are cleaned on the way out and left alone on the way back', () => {
  expect([toolNames(undefined).toWire('bad name!{}'), toolNames([]).fromWire('no_such_tool'), toolNames(undefined).toWire('')]).toEqual(['bad_name___', 'no_such_tool', 'tool']);
});

test('whatever the names, those in a request are legal, distinct, and lead back', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(fc.string(), fc.constantFrom('a', 'a.', 'a_', 'a-', '__proto__', 'tool'))), (names) => {
      const map = toolNames(tools(...names));
      const wire = names.map((name) => map.toWire(name));
      expect(wire.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
      expect(new Set(wire).size).toBe(names.length);
      expect(wire.map((name) => map.fromWire(name))).toEqual(names);
    }),
  );
});

test('C026 a name the provider keeps for itself is another one on the way, in the history too, and itself again on the way back', () => {
  const map = toolNames(tools('search', 'search_2', 'a.b'), ['search']);
  expect(['search', 'search_2', 'a.b', 'other'].map((name) => map.toWire(name))).toEqual(['search_3', 'search_2', 'a_b', 'other']);
  expect([map.fromWire('search_3'), map.fromWire('search_2'), toolNames(undefined, ['search']).toWire('search'), toolNames(tools('search')).toWire('search')]).toEqual(['search', 'search_2', 'search_2', 'search']);
});
