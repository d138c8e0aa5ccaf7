import fc from 'fast-check';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { colorStyle, plainStyle } from '../style.ts';
import { MarkdownFlow } from './flow.ts';
import { widthOf } from './lines.ts';
import { blocksLines, blocksOf } from './render.ts';

const word = fc.constantFrom('river', '長江', 'a', 'un*f*ed', '`code`', '**bold**', 'https://a.example/x', '1.', '-', '>', '|', '\\*', '<b>', '&amp;', '👨‍👩‍👧', 'averylongwordthatdoesnotfitintotwentycolumns');
const line = fc.array(word, { minLength: 1, maxLength: 9 }).map((words) => words.join(' '));
const lines = fc.array(line, { minLength: 1, maxLength: 4 });
const block = fc.oneof(
  line.map((text) => `## ${text}`),
  lines.map((all) => all.join('\n')),
  lines.map((all) => all.map((text) => `- ${text}`).join('\n')),
  lines.map((all) => all.map((text, i) => `${i + 3}. ${text}`).join('\n\n')),
  lines.map((all) => `\`\`\`ts\n${all.join('\n\n')}\n\`\`\``),
  lines.map((all) => all.map((text) => `> ${text}`).join('\n')),
  lines.map((all) => `| a | b |\n|---|:-:|\n${all.map((text) => `| ${text.replaceAll('|', '/')} | x |`).join('\n')}`),
  fc.constant('---'),
);
const source = fc.array(block, { minLength: 1, maxLength: 6 }).map((blocks) => blocks.join('\n\n'));

test('however the text is cut, the lines given for good are those of the whole', () => {
  fc.assert(
    fc.property(source, fc.array(fc.nat(60), { maxLength: 30 }), fc.integer({ min: 12, max: 90 }), (text, cuts, width) => {
      const options = { width, style: colorStyle };
      const flow = new MarkdownFlow();
      const given: string[] = [];
      let at = 0;
      for (const length of cuts) {
        flow.push(text.slice(at, (at += length)));
        given.push(...flow.grow(options, 10_000).done);
      }
      flow.push(text.slice(at));
      given.push(...flow.end(options));
      expect(given).toEqual(blocksLines(blocksOf(text), options));
    }),
  );
});

test('no line is wider than it may be', () => {
  fc.assert(
    fc.property(source, fc.integer({ min: 24, max: 90 }), (text, width) => {
      for (const each of blocksLines(blocksOf(text), { width, style: colorStyle })) expect(widthOf(each), each).toBeLessThanOrEqual(width);
    }),
  );
});

test('an open block that is too tall gives its upper lines, each once', () => {
  const flow = new MarkdownFlow();
  const options = { width: 40, style: plainStyle };
  const given: string[] = [];
  for (let i = 1; i <= 30; i++) {
    flow.push(`- item ${i}\n`);
    const { done, open } = flow.grow(options, 5);
    given.push(...done);
    expect(open.length).toBeLessThanOrEqual(5);
  }
  given.push(...flow.end(options));
  expect(given).toEqual(Array.from({ length: 30 }, (_, i) => `• item ${i + 1}`));
});

test('a block that never ends is cut at line ends: every line once, and a step costs no more for it', () => {
  for (const fence of ['', '```js\n']) {
    const flow = new MarkdownFlow();
    const options = { width: 60, style: plainStyle };
    const given: string[] = [];
    flow.push(fence);
    for (let i = 0; i < 4_000; i++) {
      flow.push(`line ${i} of a long text\n`);
      if (i % 10 === 0) given.push(...flow.grow(options, 12).done);
    }
    given.push(...flow.end(options));
    expect(given.map((each) => each.trim())).toEqual(Array.from({ length: 4_000 }, (_, i) => `line ${i} of a long text`));
  }
});

test('looks: bold headings, code in the colours of its language, nothing where there are no looks', () => {
  const text = '# Title\n\n**b** _i_ `c` ~~s~~ [here](https://a.example)\n\n```python\nx = "s"  # why\n```\n\n```nolanguage\nx < y\n```';
  expect(blocksLines(blocksOf(text), { width: 60, style: colorStyle })).toEqual([
    '\u001b[4m\u001b[1mTitle\u001b[22m\u001b[24m',
    '',
    '\u001b[1mb\u001b[22m \u001b[3mi\u001b[23m \u001b[36mc\u001b[39m \u001b[9ms\u001b[29m \u001b[4mhere\u001b[24m \u001b[2m(https://a.example)\u001b[22m',
    '',
    '  x = \u001b[32m"s"\u001b[39m  \u001b[2m# why\u001b[22m',
    '',
    '  x < y',
  ]);
  const plain = blocksLines(blocksOf(text), { width: 60, style: plainStyle });
  expect(plain).toEqual(plain.map(stripVTControlCharacters));
  expect(plain.slice(0, 3)).toEqual(['# Title', '', 'b i `c` s here (https://a.example)']);
});
