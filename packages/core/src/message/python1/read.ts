import { isObject } from '../../internal/index.ts';
import type { JsonObject } from '../../internal/index.ts';
import type { ContentBlock, Metadata } from '../blocks.ts';
import { invalid } from '../invalid.ts';
import { readBlocks } from '../java2/read-block.ts';
import { msgOf } from '../java2/read-msg.ts';
import type { ReadMsgOptions } from '../java2/read-msg.ts';
import { readMembers, readObject, readText, spellings } from '../members.ts';
import type { Msg } from '../msg.ts';
import { REASON_KEY } from '../reason.ts';
import { readRole } from '../role.ts';

const NAMES = /* @__PURE__ */ spellings(['id', 'name', 'role', 'content', 'metadata', 'timestamp']);

interface Place {
  readonly path: string;
  readonly unknown: 'throw' | 'keep';
}

/** A message of AgentScope Python 1 (WIRE §5.3): content may be a text, blocks have no states, results stand under `system`. */
export function msgFromPython1(raw: unknown, { unknown = 'throw', path = '' }: ReadMsgOptions = {}): Msg {
  if (!isObject(raw)) throw invalid(path, 'a message is an object, or the whole JSON text of one');
  const { known, extra } = readMembers(raw, NAMES);
  const metadata = readObject(known['metadata'], `${path}metadata`);
  return msgOf({
    id: readText(known['id'], `${path}id`, ''),
    name: typeof known['name'] === 'string' ? known['name'] : null,
    role: readRole(known['role'], `${path}role`),
    content: readContent(known['content'], { path: `${path}content`, unknown }),
    metadata: metadata['_is_interrupted'] === true ? { ...metadata, [REASON_KEY]: 'INTERRUPTED' } : { ...metadata },
    timestamp: readText(known['timestamp'], `${path}timestamp`, '') || null,
    usage: null,
    ...(extra === undefined ? {} : { extra }),
  });
}

function readContent(raw: unknown, place: Place): ContentBlock[] {
  const items: readonly unknown[] = (Array.isArray(raw) ? (raw as unknown[]) : [raw]).filter((item) => item !== null && item !== undefined);
  return readBlocks(items, place).map((block, i) => fromPython1(block, items[i]));
}

/** What Python 1 says with members of its own: signatures, raw arguments, results that were always whole. */
function fromPython1(block: ContentBlock, raw: unknown): ContentBlock {
  if (block.extra === undefined && block.type !== 'tool_result') return block;
  const { extra = {}, ...rest } = block;
  if (rest.type === 'thinking') return { ...rest, metadata: { ...extra, ...rest.metadata } };
  if (rest.type === 'tool_result') return { ...rest, ...kept(extra), state: isObject(raw) && typeof raw['state'] === 'string' ? rest.state : 'success' };
  if (rest.type !== 'tool_use') return block;
  const { raw_input: content, thought_signature: signature, ...others } = extra;
  const metadata: Metadata = typeof signature === 'string' ? { ...rest.metadata, thoughtSignature: signature } : rest.metadata;
  return { ...rest, ...kept(others), metadata, content: typeof content === 'string' ? content : rest.content };
}

function kept(extra: JsonObject): { extra?: JsonObject } {
  return Object.keys(extra).length === 0 ? {} : { extra };
}
