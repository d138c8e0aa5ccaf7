import type { JsonObject } from '../../internal/index.ts';
import type { ContentBlock, MediaBlock, Source, ToolResultBlock, ToolUseBlock } from '../blocks.ts';
import { writeRule } from '../java2/write-block.ts';
import { pythonTime } from '../times.ts';

/** Whose blocks they are: Python's have ids and times, made from these where ours have none. */
export interface PythonOwner {
  readonly id: string;
  readonly createdAt: string;
}

export function blocksToPython2(blocks: readonly ContentBlock[], owner: PythonOwner): JsonObject[] {
  return blocks.map((block, i) => blockToPython2(block, owner, i));
}

/** A block as Python 2 prints it. Media of every kind is `data` there; pixel and frame hints are lost. */
export function blockToPython2(block: ContentBlock, owner: PythonOwner, index = 0): JsonObject {
  const times = { created_at: blockTime(block.createdAt) ?? owner.createdAt, finished_at: blockTime(block.finishedAt) ?? null };
  const id = (own: string | undefined): string => own || `${owner.id}-${index}`;
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, id: id(block.id), ...times };
    case 'thinking':
      return { ...block.metadata, type: 'thinking', thinking: block.thinking, id: id(block.id), ...times };
    case 'data':
      return { type: 'data', id: id(block.id), source: sourceToPython2(block), name: block.name ?? null, ...times };
    case 'image':
    case 'audio':
    case 'video':
      return { type: 'data', id: id(undefined), source: sourceToPython2(block), name: null, ...times };
    case 'tool_use':
      return { ...writeCall(block), ...times };
    case 'tool_result':
      return { ...writeResult(block, times.created_at), ...times };
    case 'hint':
      return { type: 'hint', hint: typeof block.hint === 'string' ? block.hint : blocksToPython2(block.hint, { id: block.id, createdAt: times.created_at }), id: id(block.id), source: block.source, ...times };
    default:
      return block satisfies never; // kept as read, by { unknown: 'keep' }
  }
}

/** With a `T` it came from Python, and goes back as it was. A block of an unknown type may hold anything there. */
function blockTime(time: unknown): string | undefined {
  if (typeof time !== 'string') return undefined;
  return time.charAt(10) === 'T' ? time : pythonTime(time);
}

/** Python requires a media type: guessed from the extension, then from the kind of the block. */
export function mediaTypeOf(type: MediaBlock['type'], source: Source): string {
  if (source.mediaType !== undefined) return source.mediaType;
  const extension = source.type === 'url' ? /\.([a-z0-9]+)(?:[?#]|$)/i.exec(source.url)?.[1]?.toLowerCase() : undefined;
  return TYPES_BY_EXTENSION.get(extension ?? '') ?? TYPES_BY_BLOCK[type];
}

const TYPES_BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['svg', 'image/svg+xml'],
  ['bmp', 'image/bmp'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['ogg', 'audio/ogg'],
  ['flac', 'audio/flac'],
  ['mp4', 'video/mp4'],
  ['webm', 'video/webm'],
  ['mov', 'video/quicktime'],
  ['pdf', 'application/pdf'],
  ['json', 'application/json'],
  ['txt', 'text/plain'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
]);
const TYPES_BY_BLOCK: Readonly<Record<MediaBlock['type'], string>> = { data: 'application/octet-stream', image: 'image/jpeg', audio: 'audio/mpeg', video: 'video/mp4' };

function sourceToPython2({ type, source }: MediaBlock): JsonObject {
  const media_type = mediaTypeOf(type, source);
  return source.type === 'url' ? { type: 'url', url: source.url, media_type } : { type: 'base64', data: source.data, media_type };
}

/** Python's input is the raw text. */
function writeCall(block: ToolUseBlock): JsonObject {
  return {
    type: 'tool_call',
    id: block.id,
    name: block.name,
    input: block.content ?? JSON.stringify(block.input),
    state: block.state,
    suggested_rules: (block.suggestedRules ?? []).map((rule) => writeRule(rule, false)),
  };
}

/** A text that was a bare string is one again. */
function writeResult({ id, name, output, outputString, state, metadata }: ToolResultBlock, createdAt: string): JsonObject {
  const [only] = output;
  const bare = outputString === true && output.length <= 1 && (only === undefined || only.type === 'text');
  const written = bare ? (only?.type === 'text' ? only.text : '') : blocksToPython2(output, { id, createdAt });
  return { type: 'tool_result', id, name, output: written, state, metadata };
}
