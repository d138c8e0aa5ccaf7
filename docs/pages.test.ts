// What the pages point to is there: files, headings, and the rows of the table that the loop is.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { pagesOf } from './snippet-blocks.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = pagesOf(root);
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

describe.for(pages)('%s', (page) => {
  test('its links lead to files and headings that are there', () => {
    expect(linksIn(textOf(page)).filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });
});

test('the files that architecture.md names are there', () => {
  const named = [...textOf('docs/architecture.md').matchAll(/`([\w/-]+\/[\w./-]*)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(80);
  expect([...new Set(named)].filter((path) => !isThere(path))).toEqual([]);
});

test('the table of the next step has the rows of the code', () => {
  const table = /## What comes next([\s\S]*?)\n## /.exec(textOf('docs/architecture.md'))?.[1] ?? '';
  const rows = [...table.matchAll(/^\| (\d+) \|/gm)].map(([, row]) => row);
  const code = readFileSync(join(root, 'packages/core/src/agent/next-step.ts'), 'utf8');
  expect(rows).toEqual([...code.matchAll(/\/\* (\d+) \*\//g)].map(([, row]) => row));
});

test('every page of decisions says its context, choice, price and status, and stands in the index', () => {
  const decisions = pages.filter((page) => page.startsWith('docs/decisions/') && !page.endsWith('README.md'));
  const index = textOf('docs/decisions/README.md');
  for (const page of decisions) {
    const missing = ['**Status:**', '## Context', '## Choice', '## Price'].filter((part) => !textOf(page).includes(part));
    expect({ page, missing, listed: index.includes(`(${page.slice('docs/decisions/'.length)})`) }).toEqual({ page, missing: [], listed: true });
  }
});

test('every difference between the seeds has its row', ({ skip }) => {
  const ledger = join(process.env['AGENTSCOPE_SHARED'] ?? join(root, '../shared'), 'LEDGER.md');
  if (!existsSync(ledger)) skip('no LEDGER.md in ../shared (or AGENTSCOPE_SHARED)');
  const marked = readFileSync(ledger, 'utf8').split('\n').flatMap((line) => /^\| (S\d+-\d+) \|.*≠/.exec(line)?.[1] ?? []);
  const page = textOf('docs/decisions/seed-differences.md');
  expect(marked.filter((id) => !page.includes(id))).toEqual([]);
});

/** Targets of Markdown links, those on the web left out. */
function linksIn(markdown: string): readonly string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, (code) => 'x'.repeat(code.length));
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link).filter((link) => !/^(https?:|mailto:)/.test(link));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(root, target))) return false;
  return heading === undefined || headingsIn(textOf(target)).includes(heading);
}

/** The headings as their links spell them. */
function headingsIn(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-'));
}

/** A path from the root, or from the sources of the library. */
function isThere(path: string): boolean {
  return existsSync(join(root, path)) || existsSync(join(root, 'packages/core/src', path));
}

