// Takes the TypeScript blocks out of the project's Markdown. The convention, also in docs/README.md:
//
//   ```ts             is type-checked and run, each block a program of its own
//   ```ts no-run      is only type-checked
//   // → text         says what the program prints, one line each; with at least one of them, all its output is compared
//   <!-- script … --> right before a block: the replies of the scripted model that stands in for every `openai:` id
//   <!-- hidden … --> right before a block: lines that belong to the program and that the page does not show
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Snippet {
  /** `<page>:<line of the fence>`. */
  readonly name: string;
  readonly page: string;
  /** Line of the fence, from 1. */
  readonly line: number;
  readonly runs: boolean;
  readonly code: string;
  readonly hidden: string;
  /** Arguments of `scriptedModel(…)`; without: the offline model answers. */
  readonly script: string | undefined;
  /** Lines the program prints; empty: not compared. */
  readonly prints: readonly string[];
}

/** The Markdown files whose blocks must hold, as paths from the root. */
export function pagesOf(root: string): readonly string[] {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md') && !path.includes('.snippets'));
  const atRoot = readdirSync(root).filter((path) => path.endsWith('.md'));
  return [...atRoot, ...inDocs.map((path) => `docs/${path.replaceAll('\\', '/')}`)];
}

export function snippetsOf(root: string): readonly Snippet[] {
  return pagesOf(root).flatMap((page) => snippetsIn(page, readFileSync(join(root, page), 'utf8')));
}

const BLOCK = /((?:<!-- (?:script|hidden)\b[\s\S]*?-->\n+)*)^```ts\b([^\n]*)\n([\s\S]*?)^```$/gm;

/** The blocks of one page. A fence that says anything else than `ts` or `ts no-run` is an error: it would go unchecked. */
export function snippetsIn(page: string, markdown: string): readonly Snippet[] {
  return [...markdown.matchAll(BLOCK)].map(({ index, 1: comments = '', 2: mark = '', 3: code = '' }) => {
    const line = markdown.slice(0, index + comments.length).split('\n').length;
    const name = `${page}:${line}`;
    if (!['', 'no-run'].includes(mark.trim())) throw new Error(`${name}: unknown mark "${mark.trim()}" after \`\`\`ts.`);
    return { name, page, line, runs: mark.trim() === '', code, hidden: comment(comments, 'hidden') ?? '', script: comment(comments, 'script'), prints: printed(code) };
  });
}

function comment(comments: string, word: 'script' | 'hidden'): string | undefined {
  return new RegExp(`<!-- ${word}\\b([\\s\\S]*?)-->`).exec(comments)?.[1]?.trim();
}

function printed(code: string): readonly string[] {
  return [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, text = '']) => text.trimEnd());
}
