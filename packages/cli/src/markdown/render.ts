import { Lexer } from 'marked';
import type { Token, Tokens } from 'marked';
import type { Style } from '../style.ts';
import { highlight } from './highlight.ts';
import { broken, wrapped } from './lines.ts';
import { tableLines } from './table.ts';

export interface RenderOptions {
  /** Columns a line may take. */
  readonly width: number;
  readonly style: Style;
}

/** The blocks of a text, in order. A line break stays one, as models mean it. */
export function blocksOf(source: string): Token[] {
  return new Lexer({ gfm: true, breaks: true }).lex(source);
}

/** One block as lines that fit the width. Nothing: it is not seen (a link's definition, empty lines). */
export function blockLines(token: Token, options: RenderOptions): string[] {
  const { width, style } = options;
  const block = token as Tokens.Generic & Token;
  switch (block.type) {
    case 'heading':
      return wrapped(headingText(block as Tokens.Heading, style), width);
    case 'paragraph':
    case 'text':
      return wrapped(inlineText(block.tokens ?? [block], style), width);
    case 'code':
      return codeLines(block as Tokens.Code, options);
    case 'list':
      return listLines(block as Tokens.List, options);
    case 'blockquote':
      return indented(blocksLines(block.tokens ?? [], { ...options, width: width - 2 }), style('│ ', 'dim'));
    case 'table':
      return tableLines(block as Tokens.Table, {
        width,
        inline: (cell) => inlineText(cell.tokens, style),
        head: (text) => style(text, 'bold'),
        rule: (text) => style(text, 'dim'),
      });
    case 'hr':
      return [style('─'.repeat(Math.min(width, 40)), 'dim')];
    case 'space':
    case 'def':
      return [];
    default:
      return wrapped(block.raw.trimEnd(), width);
  }
}

/** With an empty line between two blocks; `tight`: without. */
export function blocksLines(tokens: readonly Token[], options: RenderOptions, { tight = false }: { tight?: boolean } = {}): string[] {
  const blocks = tokens.map((token) => blockLines(token, options)).filter((lines) => lines.length > 0);
  return blocks.flatMap((lines, i) => (i === 0 || tight ? lines : ['', ...lines]));
}

/** Without looks the signs of Markdown stand for them. */
function headingText({ depth, tokens }: Tokens.Heading, style: Style): string {
  const text = inlineText(tokens, style);
  const styled = style(text, 'bold', ...(depth === 1 ? (['underline'] as const) : []));
  return styled === text ? `${'#'.repeat(depth)} ${text}` : styled;
}

function codeLines({ text, lang = '' }: Tokens.Code, { width, style }: RenderOptions): string[] {
  const [language = ''] = lang.split(/[\s{,]/, 1);
  const code = highlight(text.replaceAll('\t', '    '), language, style);
  return indented(code.split('\n').flatMap((line) => broken(line, width - 2)), '  ');
}

function listLines({ ordered, start, items, loose }: Tokens.List, options: RenderOptions): string[] {
  return items.flatMap((item, i) => {
    const mark = ordered ? `${Number(start || 1) + i}. ` : '• ';
    const box = item.task ? (item.checked === true ? '[x] ' : '[ ] ') : '';
    const lines = blocksLines(item.tokens.filter(({ type }) => type !== 'checkbox'), { ...options, width: options.width - mark.length }, { tight: !loose });
    const [first = '', ...rest] = lines;
    const gap = loose && i > 0 ? [''] : [];
    return [...gap, `${mark}${box}${first}`.trimEnd(), ...rest.map((line) => (line === '' ? '' : ' '.repeat(mark.length) + line))];
  });
}

function indented(lines: readonly string[], indent: string): string[] {
  return lines.map((line) => (line === '' ? indent.trimEnd() : indent + line));
}

function inlineText(tokens: readonly Token[], style: Style): string {
  return tokens.map((token) => inlinePiece(token as Tokens.Generic & Token, style)).join('');
}

function inlinePiece(token: Tokens.Generic & Token, style: Style): string {
  const inner = (): string => (token.tokens === undefined ? String((token as { readonly text?: string }).text ?? token.raw) : inlineText(token.tokens, style));
  switch (token.type) {
    case 'strong':
      return style(inner(), 'bold');
    case 'em':
      return style(inner(), 'italic');
    case 'del':
      return style(inner(), 'strike');
    case 'codespan':
      return codeSpan((token as Tokens.Codespan).text, style);
    case 'br':
      return '\n';
    case 'link':
      return linkText(inner(), (token as Tokens.Link).href, style);
    case 'image':
      return `[${(token as Tokens.Image).text}] ${style((token as Tokens.Image).href, 'dim')}`;
    case 'html':
      return token.raw;
    default:
      return inner();
  }
}

function codeSpan(text: string, style: Style): string {
  const styled = style(text, 'cyan');
  return styled === text ? `\`${text}\`` : styled;
}

function linkText(text: string, href: string, style: Style): string {
  return text === href || `mailto:${text}` === href ? style(href, 'underline') : `${style(text, 'underline')} ${style(`(${href})`, 'dim')}`;
}
