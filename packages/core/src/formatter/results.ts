import type { ContentBlock, MediaBlock, TextBlock, ToolResultBlock, ToolResultState } from '../message/index.ts';
import { cacheControlOf } from './cache-control.ts';
import { isMedia, mediaKindOf, mediaNote, mediaTypeOf } from './media.ts';
import type { Round } from './rounds.ts';
import { isBlank } from './text.ts';
import type { ToolTurn, Turn, TurnCall, TurnResult, UserTurn } from './turn.ts';

interface ResultRules {
  readonly promoteMedia?: (block: MediaBlock) => boolean;
}

/** The tool turn of a round, and where results may hold text only, the user turn with their media behind it. */
export function repairedResults(round: Round, calls: readonly TurnCall[], { promoteMedia }: ResultRules): readonly Turn[] {
  const promoted: (TextBlock | MediaBlock)[] = [];
  const results = calls.map((call, at): TurnResult => {
    const block = round.calls[at]?.result;
    let count = 0;
    const content = contentOf(block).map((part) => {
      if (part.type === 'text' || promoteMedia === undefined) return part;
      if (!promoteMedia(part)) return text(mediaNote(part));
      const label = `${call.id}#${++count}`;
      promoted.push(text(`${label} (${call.name}):`), part);
      return text(`[${mediaTypeOf(part) || mediaKindOf(part)}, shown below as ${label}]`);
    });
    return { id: call.id, name: call.name, state: block?.state ?? 'interrupted', content, cacheControl: block && cacheControlOf(block) };
  });
  const turn: ToolTurn = { role: 'tool', results };
  if (promoted.length === 0) return [turn];
  return [turn, { role: 'user', name: undefined, safeName: undefined, content: [text('Media returned by the tools:'), ...promoted] } satisfies UserTurn];
}

function contentOf(result: ToolResultBlock | undefined): readonly (TextBlock | MediaBlock)[] {
  const content = (result?.output ?? []).flatMap(visible);
  return content.length > 0 ? content : [text(PLACEHOLDERS[result?.state ?? 'interrupted'])];
}

function visible(block: ContentBlock): readonly (TextBlock | MediaBlock)[] {
  if (isMedia(block)) return [block];
  return block.type === 'text' && !isBlank(block.text) ? [text(block.text.toWellFormed())] : [];
}

function text(value: string): TextBlock {
  return { type: 'text', text: value };
}

/** What stands for a result that says nothing: blank text is refused by some providers. */
const PLACEHOLDERS: Readonly<Record<ToolResultState, string>> = {
  success: '(no output)',
  error: 'The tool failed without a message.',
  denied: 'The call was denied. The tool did not run.',
  interrupted: 'The call was interrupted before it gave a result. It may or may not have run.',
  running: 'The call was interrupted before it gave a result. It may or may not have run.',
};
