import fc from 'fast-check';
import { expect, test } from 'vitest';
import { widthOf } from '../markdown/lines.ts';
import { Editor } from './editor.ts';

test('what a person sees as one letter is one, however it came in', () => {
  const editor = new Editor();
  for (const piece of ['a', '👨', '\u200d', '👩', 'é', '界']) editor.insert(piece);
  editor.press('backspace');
  editor.press('backspace');
  editor.press('backspace');
  expect(editor.text).toBe('a');
});

test('words, lines and ends', () => {
  const editor = new Editor();
  editor.insert('one two\nthree four');
  editor.press('ctrl-w');
  editor.press('up');
  editor.press('ctrl-k');
  editor.press('ctrl-a');
  editor.insert('>');
  expect(editor.text).toBe('>one tw\nthree ');
  editor.press('ctrl-right');
  editor.press('ctrl-u');
  expect(editor.text).toBe(' tw\nthree ');
  expect(editor.press('f5')).toBe(false);
});

test('a large paste is one word while it is edited, and whole when it is taken; control characters stay out', () => {
  const editor = new Editor();
  editor.insert('see ');
  editor.paste('line\u001b[2J\n'.repeat(20));
  editor.paste('short');
  expect(editor.view({ prompt: '> ', width: 60, height: 5 }).lines).toEqual(['> see [pasted 1: 21 lines]short']);
  expect(editor.take()).toEqual({ text: `see ${'line\u001b[2J\n'.repeat(20)}short`, shown: 'see [pasted 1: 21 lines]short' });
  editor.press('up');
  expect(editor.text).toMatch(/^see line/);
});

test('history: up and down, and what was being written comes back', () => {
  const editor = new Editor();
  for (const text of ['first', 'second', 'second', ' ']) editor.remember(text);
  editor.insert('draft');
  const seen = ['up', 'up', 'up', 'down', 'down', 'down'].map((key) => (editor.press(key), editor.text));
  expect(seen).toEqual(['second', 'first', 'first', 'second', 'draft', 'draft']);
});

test('the view fits, and the cursor stands in it, whatever is typed', () => {
  const action = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.constantFrom('\n', '長江', '👨‍👩‍👧', 'word word'), fc.constantFrom('key:left', 'key:up', 'key:down', 'key:home', 'key:backspace', 'key:meta-left'));
  fc.assert(
    fc.property(fc.array(action, { maxLength: 25 }), fc.integer({ min: 6, max: 50 }), fc.integer({ min: 1, max: 6 }), (actions, width, height) => {
      const editor = new Editor();
      for (const each of actions) {
        if (each.startsWith('key:')) editor.press(each.slice(4));
        else editor.insert(each);
      }
      const { lines, cursor } = editor.view({ prompt: '> ', width, height });
      expect(lines.length).toBeLessThanOrEqual(height);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
      expect(cursor.row).toBeLessThan(lines.length);
      expect(cursor.column).toBeLessThanOrEqual(width);
    }),
  );
});
