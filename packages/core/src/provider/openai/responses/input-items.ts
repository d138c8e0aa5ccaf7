import { isBlank, mediaKindOf, mediaNote, mediaTypeOf } from '../../../formatter/index.ts';
import type { AssistantTurn, Turn, TurnResult } from '../../../formatter/index.ts';
import type { MediaBlock, TextBlock, ThinkingBlock } from '../../../message/index.ts';
import { itemData } from './private-data.ts';
import type { OpenAIResponsesItem } from './wire.ts';

export interface ItemOptions {
  readonly modelName: string;
  readonly store: boolean;
}

/** The items of one turn. None for a turn of reasoning alone: reasoning is refused without what it led to. */
export function itemsOf(turn: Turn, options: ItemOptions): OpenAIResponsesItem[] {
  switch (turn.role) {
    case 'system':
      return [{ role: 'system', content: turn.text }];
    case 'user':
      return [{ role: 'user', content: userContent(turn.content) }];
    case 'assistant':
      return assistantItems(turn, options);
    case 'tool':
      return turn.results.map((result) => ({ type: 'function_call_output', call_id: result.id, output: outputOf(result) }));
  }
}

/** One text is a plain string, which every server understands. */
function userContent(content: readonly (TextBlock | MediaBlock)[]): unknown {
  const [first] = content;
  return content.length === 1 && first?.type === 'text' ? first.text : content.map(inputPart);
}

function inputPart(block: TextBlock | MediaBlock): object {
  return block.type === 'text' ? inputText(block.text) : (mediaPart(block) ?? inputText(mediaNote(block)));
}

function inputText(text: string): object {
  return { type: 'input_text', text };
}

/** Reasoning whose answer was cut off before it began is left out. */
function assistantItems(turn: AssistantTurn, options: ItemOptions): OpenAIResponsesItem[] {
  const items: OpenAIResponsesItem[] = [];
  const { content } = turn;
  const spoken = content.findLastIndex((block) => block.type !== 'thinking');
  for (let at = 0; at <= spoken; ) {
    const block = content[at];
    if (block === undefined) break;
    if (block.type !== 'thinking') {
      items.push(itemOf(block, options));
      at++;
      continue;
    }
    const parts = sameItem(content, at, options.modelName);
    items.push(...reasoningItem(parts, options));
    at += parts.length;
  }
  return items;
}

function itemOf(block: Exclude<AssistantTurn['content'][number], ThinkingBlock>, { modelName }: ItemOptions): OpenAIResponsesItem {
  if (block.type === 'call') return { type: 'function_call', call_id: block.id, name: block.name, arguments: block.argumentsText };
  const text = block.type === 'text' ? block.text : mediaNote(block);
  const { phase } = block.type === 'text' ? itemData(block.metadata, modelName) : {};
  return { role: 'assistant', content: [{ type: 'output_text', text }], ...(phase === undefined ? {} : { phase }) };
}

/** The parts of a summary are blocks of their own, one behind the other. */
function sameItem(content: AssistantTurn['content'], from: number, modelName: string): readonly ThinkingBlock[] {
  const parts: ThinkingBlock[] = [];
  for (const block of content.slice(from)) {
    if (block.type !== 'thinking' || (parts[0] !== undefined && itemData(block.metadata, modelName).id !== itemData(parts[0].metadata, modelName).id)) break;
    parts.push(block);
  }
  return parts;
}

/** Nothing where the server knows nothing of it: neither stored nor encrypted. */
function reasoningItem(parts: readonly ThinkingBlock[], { modelName, store }: ItemOptions): readonly OpenAIResponsesItem[] {
  const data = parts.map((block) => itemData(block.metadata, modelName));
  const encrypted = data.find(({ encryptedContent }) => encryptedContent !== undefined)?.encryptedContent;
  if (encrypted === undefined && !store) return [];
  const summary = parts.filter((block) => !isBlank(block.thinking)).map((block) => ({ type: 'summary_text', text: block.thinking.toWellFormed() }));
  return [{ type: 'reasoning', id: data[0]?.id, summary, ...(encrypted === undefined ? {} : { encrypted_content: encrypted }) }];
}

/** Text alone is a plain string. */
function outputOf({ content }: TurnResult): unknown {
  if (content.some((block) => block.type !== 'text' && mediaPart(block) !== undefined)) return content.map(inputPart);
  return content.map((block) => (block.type === 'text' ? block.text : mediaNote(block))).filter((text) => !isBlank(text)).join('\n');
}

/** Nothing where the API cannot take it. */
function mediaPart(block: MediaBlock): object | undefined {
  const { source } = block;
  const url = source.type === 'url' ? source.url : source.data === '' ? '' : `data:${mediaTypeOf(block)};base64,${source.data}`;
  const kind = mediaKindOf(block);
  if (kind === 'image') return PICTURE.test(url) ? { type: 'input_image', image_url: url, detail: 'auto' } : undefined;
  if (kind !== 'file') return undefined;
  if (/^data:application\/pdf;base64,./i.test(url)) return { type: 'input_file', filename: fileName(block), file_data: url };
  return isPdf(block) && /^https?:\/\//i.test(url) ? { type: 'input_file', file_url: url } : undefined;
}

const PICTURE = /^(?:https?:\/\/.|data:image\/(?:png|jpe?g|gif|webp);base64,.)/i;

function isPdf(block: MediaBlock): boolean {
  return mediaTypeOf(block) === 'application/pdf';
}

function fileName(block: MediaBlock): string {
  return (block.type === 'data' && block.name?.trim()) || 'file.pdf';
}
