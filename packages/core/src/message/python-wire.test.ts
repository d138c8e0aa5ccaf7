import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { messagesFromPython1Memory, msgToJava2, msgToPython2, parseMsg } from './index.ts';
import type { Dialect } from './index.ts';

interface Item {
  readonly input: unknown;
  readonly java2?: unknown;
  readonly python2?: unknown;
  readonly roundTrip?: string;
}
const root = new URL('../../fixtures/wire/', import.meta.url);
const read = (file: string): { readonly title: string; readonly items: readonly Item[] } => JSON.parse(readFileSync(new URL(file, root), 'utf8'));
const filesOf = (dialect: Dialect): string[] => readdirSync(new URL(`${dialect}/`, root)).filter((name) => name.startsWith('msg-')).map((name) => `${dialect}/${name}`);

const ROWS: Readonly<Record<string, string>> = {
  'python1/msg-01-string.json': 'S3-005',
  'python1/msg-02-text-blocks.json': 'S3-002 S3-008',
  'python1/msg-03-image.json': 'S3-010',
  'python1/msg-04-audio.json': 'S3-010',
  'python1/msg-05-video.json': 'S3-010',
  'python1/msg-06-thinking.json': 'S3-009',
  'python1/msg-07-tool-use.json': 'S3-011',
  'python1/msg-08-tool-result-string.json': 'S3-012',
  'python1/msg-09-tool-result-list.json': 'S3-012',
  'python1/msg-12-user-tool-use.json': 'S3-015',
};

for (const dialect of ['python1', 'python2', 'java2'] as const) {
  for (const file of filesOf(dialect)) {
    const { title, items } = read(file);
    test(`${ROWS[file] ?? 'S3-002'} ${file}: ${title}`, () => {
      for (const { input, java2, python2, roundTrip } of items) {
        for (const msg of [parseMsg(input), parseMsg(input, { dialect })]) {
          if (java2 !== undefined) expect(msgToJava2(msg)).toEqual(java2);
          if (python2 !== undefined) expect(msgToPython2(msg)).toEqual(python2);
          if (dialect === 'python2' && roundTrip === 'exact') expect(msgToPython2(msg)).toEqual(input);
          const extended = JSON.parse(JSON.stringify(msg));
          expect({ ...parseMsg(extended) }).toEqual({ ...msg });
        }
      }
    });
  }
}

test('S3-003 S3-004 Python’s roles are lower case, and metadata goes out unchanged', () => {
  const metadata = { deep: [[[{ none: null }]]] };
  const written = msgToPython2(parseMsg({ id: 'x', role: 'ASSISTANT', content: [], metadata }));
  expect([written['role'], written['metadata']]).toEqual(['assistant', metadata]);
});

test('python1/memory-01.json: a saved memory gives its messages', () => {
  for (const { input, java2 } of read('python1/memory-01.json').items) expect(messagesFromPython1Memory(input).map((msg) => msgToJava2(msg))).toEqual(java2);
});

test('what Python 1 and Python 2 cannot hold is refused with the path', () => {
  for (const dialect of ['python1', 'python2'] as const) {
    expect(() => parseMsg([], { dialect })).toThrow(expect.objectContaining({ code: 'message/invalid' }));
    expect(() => parseMsg({ role: 'user', content: [{ text: 'x' }] }, { dialect })).toThrow(expect.objectContaining({ code: 'message/invalid', details: { path: 'content[0].type', rule: 'a block says its type' } }));
    expect(() => parseMsg({ role: 'user', content: [{ type: 'smell' }] }, { dialect })).toThrow(expect.objectContaining({ code: 'wire/unknown-type' }));
  }
});
