import type { JsonObject } from '../../internal/index.ts';
import type { ContentBlock, HintBlock, Metadata, Source, ToolResultBlock, ToolUseBlock } from '../blocks.ts';
import { setOwn } from '../members.ts';
import type { PermissionRule } from '../permission-rule.ts';

export interface WriteOptions {
  /** Adds the model's optional members, for our own readers. Default false: exactly what AgentScope Java declares. */
  readonly extensions?: boolean;
}

/** `owner` and `index` make the id of a data block that has none, so that Java reads the same id each time. */
export interface Owner {
  readonly id: string;
  readonly extensions: boolean;
}

export function writeBlocks(blocks: readonly ContentBlock[], owner: Owner): JsonObject[] {
  return blocks.map((block, i) => writeBlock(block, owner, i));
}

/** A block as Jackson prints it. */
export function writeBlock(block: ContentBlock, owner: Owner, index = 0): JsonObject {
  const strict = writeStrict(block, owner, index);
  return owner.extensions ? { ...strict, ...extensionsOf(block) } : strict;
}

/** Drops the null members at the top: Java's collections refuse them. */
export function withoutNulls(metadata: Metadata): JsonObject {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(metadata)) if (metadata[key] !== null && metadata[key] !== undefined) setOwn(kept, key, metadata[key]);
  return kept as JsonObject;
}

/** Both languages write rules in snake_case. */
export function writeRule(rule: PermissionRule, extensions: boolean): JsonObject {
  return {
    tool_name: rule.toolName,
    ...(extensions && rule.ruleContent === undefined ? {} : { rule_content: rule.ruleContent ?? null }),
    behavior: rule.behavior,
    ...(extensions && rule.source === undefined ? {} : { source: rule.source ?? '' }),
    ...(extensions && rule.scope !== undefined ? { scope: rule.scope } : {}),
    ...(extensions && rule.expiresAt !== undefined ? { expiresAt: rule.expiresAt } : {}),
    ...(extensions && rule.id !== undefined ? { id: rule.id } : {}),
  };
}

function writeStrict(block: ContentBlock, owner: Owner, index: number): JsonObject {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'thinking', thinking: block.thinking, metadata: block.metadata === undefined ? null : metadataOf(block.metadata, owner) };
    case 'data': {
      const id = block.id ?? (owner.extensions ? undefined : `${owner.id}-${index}`);
      return { type: 'data', source: writeSource(block.source), ...(id === undefined ? {} : { id }), ...(block.name === undefined ? {} : { name: block.name }) };
    }
    case 'image':
      return { type: 'image', source: writeSource(block.source), ...pixels(block) };
    case 'audio':
      return { type: 'audio', source: writeSource(block.source) };
    case 'video':
      return { type: 'video', source: writeSource(block.source), ...pixels(block) };
    case 'tool_use':
      return writeCall(block, owner);
    case 'tool_result':
      return writeResult(block, owner);
    case 'hint':
      return { type: 'hint', id: block.id, hint: writeHint(block, owner), source: block.source };
    default:
      return block satisfies never; // kept as read, by { unknown: 'keep' }
  }
}

function writeSource(source: Source): JsonObject {
  if (source.type === 'base64') return { type: 'base64', media_type: source.mediaType, data: source.data };
  return { type: 'url', url: source.url, ...(source.mediaType === undefined ? {} : { mime_type: source.mediaType }) };
}

const PIXEL_NAMES = [
  ['fps', 'fps'],
  ['maxFrames', 'max_frames'],
  ['minPixels', 'min_pixels'],
  ['maxPixels', 'max_pixels'],
  ['totalPixels', 'total_pixels'],
] as const;

function pixels(block: object): JsonObject {
  const hints = block as Record<string, number | undefined>;
  const written: Record<string, number> = {};
  for (const [name, spelled] of PIXEL_NAMES) {
    const value = hints[name];
    if (value !== undefined) written[spelled] = value;
  }
  return written;
}

/** What a person was shown before they changed it (`proposed`, `proposedName`) is ours: Java's metadata of a call has no such keys. */
function writeCall(block: ToolUseBlock, owner: Owner): JsonObject {
  const { proposed, proposedName, ...rest } = block.metadata;
  const edited = proposed !== undefined || proposedName !== undefined;
  const metadata = metadataOf(edited && !owner.extensions ? rest : block.metadata, owner);
  return { type: 'tool_use', id: textOf(block.id, owner), name: textOf(block.name, owner), input: block.input, content: block.content, metadata, state: block.state };
}

function writeResult(block: ToolResultBlock, owner: Owner): JsonObject {
  const output = writeBlocks(block.output, { id: block.id, extensions: owner.extensions });
  return { type: 'tool_result', id: textOf(block.id, owner), name: textOf(block.name, owner), output, metadata: metadataOf(block.metadata, owner), state: block.state };
}

/** A bare tool return has neither id nor name: null in Java, empty in the model. */
function textOf(text: string, { extensions }: Owner): string | null {
  return text === '' && !extensions ? null : text;
}

/** Java's hint is one text: lists are joined, media named by their type. */
function writeHint({ id, hint }: HintBlock, owner: Owner): string | JsonObject[] {
  if (typeof hint === 'string') return hint;
  if (owner.extensions) return writeBlocks(hint, { id, extensions: true });
  return hint.map((part) => (part.type === 'text' ? part.text : `[${part.source.mediaType ?? 'application/octet-stream'}]`)).join('\n');
}

function metadataOf(metadata: Metadata, owner: Owner): JsonObject {
  return owner.extensions ? metadata : withoutNulls(metadata);
}

function extensionsOf(block: ContentBlock): JsonObject {
  return {
    ...((block.type === 'text' || block.type === 'thinking') && block.id !== undefined ? { id: block.id } : {}),
    ...((block.type === 'text' || block.type === 'data') && block.metadata !== undefined ? { metadata: block.metadata } : {}),
    ...(block.type === 'tool_use' && block.suggestedRules !== undefined ? { suggestedRules: block.suggestedRules.map((rule) => writeRule(rule, true)) } : {}),
    ...(block.type === 'tool_result' && block.outputString === true ? { outputString: true } : {}),
    ...(block.createdAt === undefined ? {} : { createdAt: block.createdAt }),
    ...(block.finishedAt === undefined ? {} : { finishedAt: block.finishedAt }),
    ...(block.call === undefined ? {} : { call: block.call }),
    ...(block.extra === undefined ? {} : { extra: block.extra }),
  };
}
