import type { ContentBlock, HintBlock, Msg } from '../message/index.ts';
import { toJava2 } from '../state/index.ts';
import type { AgentState } from '../state/index.ts';

export type TranscriptFormat = 'json' | 'jsonl' | 'markdown';

/** A conversation as a text. */
export function transcriptOf({ sessionId, userId, summary, context }: AgentState, format: TranscriptFormat): string {
  if (format === 'jsonl') return context.map((msg) => `${JSON.stringify(msg)}\n`).join('');
  if (format === 'json') return `${JSON.stringify({ sessionId, userId, summary, messages: context.map((msg) => toJava2(msg, { extensions: true })) }, null, 2)}\n`;
  return [`# Session ${sessionId}`, ...(summary === '' ? [] : [`> ${summary.replaceAll('\n', '\n> ')}`]), ...context.map(turn)].join('\n\n') + '\n';
}

function turn(msg: Msg): string {
  const { name, role, timestamp, content } = msg;
  const who = name ?? role.toLowerCase();
  return [`## ${who}${timestamp === null ? '' : ` · ${timestamp}`}`, ...content.map(paragraph).filter((text) => text !== '')].join('\n\n');
}

function paragraph(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'thinking':
      return `> ${block.thinking.replaceAll('\n', '\n> ')}`;
    case 'tool_use':
      return fenced(`\`${block.name}\` called with`, JSON.stringify(block.input, null, 2));
    case 'tool_result':
      return fenced(`\`${block.name}\` gave (${block.state ?? 'success'})`, block.output.map(shown).join('\n'));
    case 'data':
      return shown(block);
    case 'hint':
      return block.source === 'user' ? `> meanwhile the user: ${hintText(block.hint).replaceAll('\n', '\n> ')}` : '';
    default:
      return '';
  }
}

function hintText(hint: HintBlock['hint']): string {
  return typeof hint === 'string' ? hint : hint.map(shown).join('\n');
}

/** Data is named, not written out. */
function shown(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type !== 'data') return `[${block.type}]`;
  const { source } = block;
  return source.type === 'url' ? `[${source.mediaType ?? 'data'}: ${source.url}]` : `[${source.mediaType}, ${source.data.length} characters of base64]`;
}

/** A fence longer than any in the text. */
function fenced(head: string, text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${head}\n\n${fence}\n${text}\n${fence}`;
}
