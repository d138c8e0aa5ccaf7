import { isObject } from '../../../internal/index.ts';
import type { JsonObject } from '../../../internal/index.ts';
import type { Metadata } from '../../../message/index.ts';

/** What the Responses API gave with an item and wants back with it. Stands in the block's metadata under `openai`. */
export interface ItemData {
  /** Id of a reasoning item. */
  readonly id?: string | undefined;
  readonly encryptedContent?: string | undefined;
  /** Of a message: commentary or final answer. */
  readonly phase?: string | undefined;
}

const KEY = 'openai';

/** The metadata of a block. `model`: what is encrypted is read only by the model that wrote it. */
export function itemMetadata({ id, encryptedContent, phase }: ItemData, model: string): { metadata?: Metadata } {
  if (id === undefined && encryptedContent === undefined && phase === undefined) return {};
  const data: JsonObject = {
    model,
    ...(id === undefined ? {} : { id }),
    ...(encryptedContent === undefined ? {} : { encrypted_content: encryptedContent }),
    ...(phase === undefined ? {} : { phase }),
  };
  return { metadata: { [KEY]: data } };
}

/** What the block holds for `model`: nothing of another provider, nothing of another model. */
export function itemData(metadata: Metadata | undefined, model: string): ItemData {
  const own = metadata?.[KEY];
  if (!isObject(own) || (own['model'] !== undefined && own['model'] !== model)) return {};
  return { id: textIn(own['id']), encryptedContent: textIn(own['encrypted_content']), phase: textIn(own['phase']) };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
