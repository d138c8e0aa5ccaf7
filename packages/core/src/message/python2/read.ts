import { isObject } from '../../internal/index.ts';
import type { ContentBlock, GenerateReason, Metadata } from '../blocks.ts';
import { invalid } from '../invalid.ts';
import { readBlock, readBlocks } from '../java2/read-block.ts';
import { msgOf } from '../java2/read-msg.ts';
import type { ReadMsgOptions } from '../java2/read-msg.ts';
import { readMembers, readObject, readText, spellings } from '../members.ts';
import { ERROR_KEY } from '../metadata-keys.ts';
import type { Msg } from '../msg.ts';
import { REASON_KEY, STRUCTURED_OUTPUT_KEY } from '../reason.ts';
import { readRole } from '../role.ts';
import { readUsage } from '../usage.ts';

/** Python's words for why a reply ended. `error` has none of the eleven: the error itself says it. */
export const PYTHON_REASONS: ReadonlyMap<string, GenerateReason> = new Map<string, GenerateReason>([
  ['completed', 'MODEL_STOP'],
  ['interrupted', 'INTERRUPTED'],
  ['exceed_max_iters', 'MAX_ITERATIONS'],
]);

const NAMES = /* @__PURE__ */ spellings(['id', 'name', 'role', 'content', 'metadata', 'createdAt', 'finishedAt', 'usage', 'finishedReason', 'structuredOutput', 'error']);

/** A message of AgentScope Python 2 (WIRE §5.1). Times stay as they are written there; the writers convert. */
export function msgFromPython2(raw: unknown, { unknown = 'throw', path = '' }: ReadMsgOptions = {}): Msg {
  if (!isObject(raw)) throw invalid(path, 'a message is an object, or the whole JSON text of one');
  const { known, extra } = readMembers(raw, NAMES);
  const createdAt = readText(known['createdAt'], `${path}createdAt`, '');
  const finishedAt = readText(known['finishedAt'], `${path}finishedAt`, '');
  return msgOf({
    id: readText(known['id'], `${path}id`, ''),
    name: typeof known['name'] === 'string' ? known['name'] : null,
    role: readRole(known['role'], `${path}role`),
    content: blocksFromPython2(known['content'], { path: `${path}content`, unknown }),
    metadata: metadataOf(readObject(known['metadata'], `${path}metadata`), known),
    timestamp: createdAt || null,
    usage: readUsage(known['usage']),
    ...(finishedAt === '' ? {} : { finishedAt }),
    ...(extra === undefined ? {} : { extra }),
  });
}

export function blocksFromPython2(raw: unknown, place: Place): ContentBlock[] {
  return readBlocks(raw, place).map(fromPython2);
}

export function blockFromPython2(raw: unknown, place: Place): ContentBlock {
  return fromPython2(readBlock(raw, place));
}

interface Place {
  readonly path: string;
  readonly unknown: 'throw' | 'keep';
}

/** The members beside `thinking` are the provider's: they become metadata. The rest is read as Java's blocks are. */
function fromPython2(block: ContentBlock): ContentBlock {
  if (block.type !== 'thinking' || block.extra === undefined) return block;
  const { extra, ...rest } = block;
  return { ...rest, metadata: { ...extra, ...block.metadata } };
}

function metadataOf(metadata: Metadata, known: { readonly [name: string]: unknown }): Metadata {
  const reason = PYTHON_REASONS.get(String(known['finishedReason']));
  const { structuredOutput: output, error } = known;
  return {
    ...metadata,
    ...(reason === undefined ? {} : { [REASON_KEY]: reason }),
    ...(output === undefined || output === null ? {} : { [STRUCTURED_OUTPUT_KEY]: output as Metadata }),
    ...(isObject(error) ? { [ERROR_KEY]: error as Metadata } : {}),
  };
}
