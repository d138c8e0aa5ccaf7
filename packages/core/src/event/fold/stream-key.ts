import { isObject } from '../../internal/index.ts';
import type { Metadata } from '../../message/index.ts';
import type { Reply } from './reply.ts';

/** What ties the deltas of a block together: Java uses one fixed blockId for each kind and model call. */
export function streamKey(kind: string, { replyId, blockId }: { replyId: string; blockId: string }): string {
  return `${kind}\n${replyId ?? ''}\n${blockId ?? ''}`;
}

/** The id in the message: the blockId, numbered when another block has it already (WIRE F8). */
export function uniqueBlockId(reply: Reply, blockId: string): string {
  if (typeof blockId !== 'string' || blockId === '') return '';
  let id = blockId;
  for (let n = 2; reply.blockIds.has(id); n++) id = `${blockId}#${n}`;
  reply.blockIds.add(id);
  return id;
}

/** `metadata.block` of an END event: what only the provider understands (WIRE F23). */
export function mergeBlockMetadata<M extends Metadata | undefined>(metadata: M, event: { metadata?: Metadata }): M | Metadata {
  const block = event.metadata?.['block'];
  return isObject(block) ? { ...metadata, ...(block as Metadata) } : metadata;
}
