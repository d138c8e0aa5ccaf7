import type { MsgData } from '../message/index.ts';

/**
 * A message as snapshots and imports hold it: without the members that have their default. `text` is its content where that is one
 * plain text. A whole `MsgData` is one too.
 */
export type ThinMessage = Partial<MsgData> & Pick<MsgData, 'id' | 'role' | 'timestamp'> & { readonly text?: string };

/** Leaves out what is said by leaving it out. */
export function toThin({ id, role, timestamp, content, name, metadata, usage, ...rest }: MsgData): ThinMessage {
  const text = plainText(content);
  return {
    id,
    role,
    timestamp,
    ...(text === undefined ? { content } : { text }),
    ...(name === null ? {} : { name }),
    ...(isEmpty(metadata) ? {} : { metadata }),
    ...(usage === null ? {} : { usage }),
    ...rest,
  };
}

/** One that may be whole. */
export function asThin(message: ThinMessage): ThinMessage {
  return 'content' in message && 'metadata' in message && 'usage' in message && 'name' in message ? toThin(message as MsgData) : message;
}

/** The members in the order `Msg` has them. */
export function fromThin({ id, role, timestamp, text, content, name = null, metadata = NOTHING, usage = null, ...rest }: ThinMessage): MsgData {
  return { id, name, role, content: text === undefined ? (content ?? []) : [{ type: 'text', text }], metadata, timestamp, usage, ...rest };
}

const NOTHING: MsgData['metadata'] = Object.freeze({});

function plainText([block, more]: MsgData['content']): string | undefined {
  if (block?.type !== 'text' || more !== undefined) return undefined;
  for (const member in block) if (member !== 'type' && member !== 'text') return undefined;
  return block.text;
}
function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
