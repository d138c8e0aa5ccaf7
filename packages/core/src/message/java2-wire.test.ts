import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AgentScopeError } from '../error/index.ts';
import { Msg, msgToJava2, parseMsg } from './index.ts';

interface Item {
  readonly input: unknown;
  readonly java2?: unknown;
  readonly kind?: string;
  readonly note?: string;
}
const folder = new URL('../../fixtures/wire/java2/', import.meta.url);
const read = (file: string): { readonly kind: string; readonly title: string; readonly items: readonly Item[] } => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

for (const file of readdirSync(folder).filter((name) => name.startsWith('msg-'))) {
  const { title, items } = read(file);
  test(`S0-006 S3-002 ${file}: ${title}`, () => {
    for (const { input, java2 = input } of items) {
      const msg = parseMsg(input);
      expect(msgToJava2(msg)).toEqual(java2);
      expect(msgToJava2(parseMsg(java2))).toEqual(java2);
      const extended = JSON.parse(JSON.stringify(msg));
      expect({ ...parseMsg(extended) }).toEqual({ ...msg });
      expect({ ...new Msg(extended) }).toEqual({ ...msg });
    }
  });
}

test('reject-01.json: what is no message is refused with a typed error', () => {
  for (const { input, note } of read('reject-01.json').items.filter(({ kind }) => kind === 'msg')) {
    let error: unknown;
    try {
      parseMsg(input);
    } catch (thrown) {
      error = thrown;
    }
    expect(AgentScopeError.is(error, 'message/invalid') || AgentScopeError.is(error, 'wire/unknown-type'), note).toBe(true);
  }
});

test('an unknown block type is kept as it is when asked, and goes out unchanged', () => {
  const smell = { type: 'smell', intensity: { of: 'sea' } };
  const msg = parseMsg({ id: 'x', role: 'USER', content: ['a', smell] }, { unknown: 'keep' });
  expect(msg.role).toBe('USER');
  expect(msgToJava2(msg)['content']).toEqual([{ type: 'text', text: 'a' }, smell]);
});

test('S3-015 a role that does not fit its blocks is repaired on the way in', () => {
  const call = { type: 'tool_use', id: 'c', name: 'n', input: {} };
  const result = { type: 'tool_result', id: 'c', name: 'n', output: [] };
  const repaired = (role: string, content: unknown[]): unknown[] => {
    const msg = parseMsg({ id: 'x', role, content });
    return [msg.role, msg.originalRole];
  };
  expect(repaired('user', [call])).toEqual(['ASSISTANT', 'user']);
  expect(repaired('system', [result, result])).toEqual(['TOOL', 'system']);
  expect(repaired('system', ['a', result])).toEqual(['ASSISTANT', 'system']);
  expect(repaired('SYSTEM', ['a'])).toEqual(['SYSTEM', undefined]);
});

test('a message keeps unknown members in `extra`, which only the extended form writes', () => {
  const msg = parseMsg({ id: 'x', role: 'USER', content: [{ type: 'text', text: 'a', mood: 'calm' }], color: 'red' });
  expect(msg.extra).toEqual({ color: 'red' });
  expect(Object.keys(msgToJava2(msg))).toEqual(['id', 'name', 'role', 'content', 'metadata', 'timestamp', 'usage']);
  expect({ ...parseMsg(msgToJava2(msg, { extensions: true })) }).toEqual({ ...msg });
});
