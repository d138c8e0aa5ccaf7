import { isBlank, mediaKindOf, mediaNote, mediaTypeOf } from '../../formatter/index.ts';
import type { AssistantTurn, ToolTurn, Turn, TurnCall, TurnResult } from '../../formatter/index.ts';
import type { MediaBlock } from '../../message/index.ts';
import { partData } from './private-data.ts';
import { bareName, profileFor } from './profile.ts';
import type { GeminiPart } from './wire.ts';

export interface PartOptions {
  readonly modelName: string;
  /** Tool names as Gemini takes them. */
  readonly nameOf: (name: string) => string;
  readonly lateSystem: (text: string) => string;
  /** The calls a tool turn answers. */
  readonly calls: readonly TurnCall[];
}

/** What Google documents for calls in a history that Gemini 3 did not write. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/** The parts of one turn; never none. */
export function partsOf(turn: Turn, options: PartOptions): GeminiPart[] {
  switch (turn.role) {
    case 'system':
      return [{ text: options.lateSystem(turn.text) }];
    case 'user':
      return turn.content.map((block) => (block.type === 'text' ? { text: block.text } : (mediaPart(block) ?? { text: mediaNote(block) })));
    case 'assistant':
      return modelParts(turn, options);
    case 'tool':
      return resultParts(turn, options);
  }
}

function modelParts(turn: AssistantTurn, options: PartOptions): GeminiPart[] {
  const model = bareName(options.modelName);
  return turn.content.map((block): GeminiPart => {
    switch (block.type) {
      case 'call':
        return callPart(block, { ...options, isFirst: block === turn.calls[0] });
      case 'text':
        return { text: block.text, ...signature(partData(block.metadata, model).thoughtSignature) };
      case 'thinking':
        return { text: block.thinking.toWellFormed(), thought: true, ...signature(partData(block.metadata, model).thoughtSignature) };
      default:
        return mediaOfModel(block, model);
    }
  });
}

/** Parallel calls have their signature on the first one only, so none is made up for the others. The text of the arguments is well formed, the input need not be. */
function callPart(call: TurnCall, { modelName, nameOf, isFirst }: PartOptions & { isFirst: boolean }): GeminiPart {
  const { thoughtSignature, hasId } = partData(call.metadata, bareName(modelName));
  const wanted = isFirst && profileFor(modelName).isThird ? NO_SIGNATURE : undefined;
  return { functionCall: { ...(hasId === true ? { id: call.id } : {}), name: nameOf(call.name), args: JSON.parse(call.argumentsText) as object }, ...signature(thoughtSignature ?? wanted) };
}

function signature(thoughtSignature: string | undefined): { thoughtSignature?: string } {
  return thoughtSignature === undefined ? {} : { thoughtSignature };
}

/** A picture the model made goes back as it is; other media only as a note. */
function mediaOfModel(block: MediaBlock, model: string): GeminiPart {
  const part = mediaKindOf(block) === 'image' ? inlinePart(block) : undefined;
  if (part === undefined) return { text: mediaNote(block) };
  return { ...part, ...signature('metadata' in block ? partData(block.metadata, model).thoughtSignature : undefined) };
}

/** All responses of a turn first, whatever else the tools gave behind them. */
function resultParts(turn: ToolTurn, options: PartOptions): GeminiPart[] {
  const responses: GeminiPart[] = [];
  const behind: GeminiPart[] = [];
  turn.results.forEach((result, at) => {
    const { response, extra } = resultPart(result, { ...options, label: `${options.nameOf(result.name)}#${at + 1}` });
    responses.push(response);
    behind.push(...extra);
  });
  return [...responses, ...behind];
}

/** A result names an id where its call did. */
function resultPart(result: TurnResult, { modelName, nameOf, label, calls }: PartOptions & { label: string }): { response: GeminiPart; extra: readonly GeminiPart[] } {
  const inside: GeminiPart[] = [];
  const extra: GeminiPart[] = [];
  const text = result.content.map((block): string => {
    if (block.type === 'text') return block.text;
    const part = mediaPart(block);
    if (part === undefined) return mediaNote(block);
    if (profileFor(modelName).isThird && isForResults(block, part)) {
      inside.push(part);
      return `[${nameOfMedia(block)}, attached]`;
    }
    extra.push({ text: `${label}:` }, part);
    return `[${nameOfMedia(block)}, shown below as ${label}]`;
  });
  const said = text.filter((line) => !isBlank(line)).join('\n');
  const response = result.state === 'success' ? { output: said } : { error: said };
  const hasId = calls.some((call) => call.id === result.id && partData(call.metadata, bareName(modelName)).hasId === true);
  return { response: { functionResponse: { ...(hasId ? { id: result.id } : {}), name: nameOf(result.name), response, ...(inside.length === 0 ? {} : { parts: inside }) } }, extra };
}

/** Kinds that may stand in a result. */
function isForResults(block: MediaBlock, part: GeminiPart): boolean {
  return 'inlineData' in part && /^image\/|^application\/pdf$/.test(mediaTypeOf(block));
}

function nameOfMedia(block: MediaBlock): string {
  return mediaTypeOf(block) || mediaKindOf(block);
}

/** Nothing where Gemini cannot take it. */
function mediaPart(block: MediaBlock): GeminiPart | undefined {
  return inlinePart(block) ?? filePart(block);
}

function inlinePart(block: MediaBlock): GeminiPart | undefined {
  const { source } = block;
  const data = source.type === 'base64' ? source.data : /^data:[^,]*;base64,(.*)$/is.exec(source.url)?.[1];
  const mimeType = mediaTypeOf(block);
  return data === undefined || data === '' || !INLINE.test(mimeType) ? undefined : { inlineData: { mimeType, data } };
}

const INLINE = /^(?:image|audio|video|text)\/[\w.+-]+$|^application\/(?:pdf|json)$/;

function filePart(block: MediaBlock): GeminiPart | undefined {
  const { source } = block;
  if (source.type !== 'url' || !/^(?:https?|gs):\/\//i.test(source.url)) return undefined;
  const mimeType = mediaTypeOf(block);
  return { fileData: { ...(mimeType === '' ? {} : { mimeType }), fileUri: source.url } };
}

/** Media at an address that goes as bytes. What Gemini would not take is not downloaded to find that out. */
export function needsBytes(block: MediaBlock): boolean {
  const mimeType = mediaTypeOf(block);
  return !isOwnAddress(block) && (mimeType === '' || INLINE.test(mimeType));
}

/** An address Gemini reads by itself: its own files, films on YouTube, Cloud Storage. */
function isOwnAddress(block: MediaBlock): boolean {
  const { source } = block;
  return source.type === 'url' && /^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/|https?:\/\/(?:www\.|m\.)?(?:youtube\.com|youtu\.be)\/)/i.test(source.url);
}

