import { AgentScopeError } from '../../error/index.ts';
import { isObject, parseObject } from '../../internal/index.ts';
import type { ContentBlock, HintBlock, ToolCallState, ToolResultState } from '../blocks.ts';
import { invalid } from '../invalid.ts';
import { readMembers, readNumber, readObject, readText, readWord, spellings } from '../members.ts';
import type { Spellings } from '../members.ts';
import { readRules } from './read-rule.ts';
import { readSource } from './read-source.ts';

/** `invalid`: written in code; `throw`: from the wire; `keep`: from the wire, an unknown block stays as an opaque one. */
export type UnknownBlocks = 'invalid' | 'throw' | 'keep';

type Known = { readonly [name: string]: unknown };
interface Place {
  readonly path: string;
  readonly unknown: UnknownBlocks;
}
interface BlockForm {
  readonly names: Spellings;
  read(known: Known, place: Place): object;
}

const COMMON = ['type', 'createdAt', 'finishedAt', 'call'];
const CALL_STATES: readonly ToolCallState[] = ['pending', 'asking', 'allowed', 'submitted', 'finished'];
export const RESULT_STATES: readonly ToolResultState[] = ['success', 'error', 'interrupted', 'denied', 'running'];
const IMAGE_HINTS = ['minPixels', 'maxPixels'];
const VIDEO_HINTS = ['fps', 'maxFrames', 'minPixels', 'maxPixels', 'totalPixels'];

const FORMS: ReadonlyMap<string, BlockForm> = /* @__PURE__ */ blockForms(); // a bundler drops it where nothing is read

function blockForms(): ReadonlyMap<string, BlockForm> {
  return new Map<string, BlockForm>([
    ['text', { names: spellings([...COMMON, 'text', 'id', 'metadata']), read: (known, { path }) => ({ type: 'text', text: readText(known['text'], `${path}.text`, ''), ...idAndMetadata(known, path) }) }],
    ['thinking', { names: spellings([...COMMON, 'thinking', 'id', 'metadata']), read: (known, { path }) => ({ type: 'thinking', thinking: readText(known['thinking'], `${path}.thinking`, ''), ...idAndMetadata(known, path) }) }],
    ['data', { names: spellings([...COMMON, 'source', 'id', 'name', 'metadata']), read: readData }],
    ['image', { names: spellings([...COMMON, 'source', ...IMAGE_HINTS]), read: (known, { path }) => ({ type: 'image', source: readSource(known['source'], `${path}.source`), ...hints(known, IMAGE_HINTS, path) }) }],
    ['audio', { names: spellings([...COMMON, 'source']), read: (known, { path }) => ({ type: 'audio', source: readSource(known['source'], `${path}.source`) }) }],
    ['video', { names: spellings([...COMMON, 'source', ...VIDEO_HINTS]), read: readVideo }],
    ['tool_use', { names: spellings([...COMMON, 'id', 'name', 'input', 'content', 'state', 'metadata', 'suggestedRules', 'awaitUserConfirmation']), read: readCall }],
    ['tool_result', { names: spellings([...COMMON, 'id', 'name', 'output', 'state', 'metadata', 'outputString'], { suspended: null }), read: readResult }],
    ['hint', { names: spellings([...COMMON, 'id', 'hint', 'source']), read: readHint }],
  ]);
}

/**
 * One block in the model's form, in AgentScope Java's, or in our extended form of it.
 *
 * @throws AgentScopeError `message/invalid` with the path; `wire/unknown-type` for an unknown type from the wire
 */
export function readBlock(raw: unknown, place: Place): ContentBlock {
  if (!isObject(raw)) throw invalid(place.path, 'it is a block, an object with a type');
  const type = raw['type'];
  if (typeof type !== 'string') throw invalid(`${place.path}.type`, 'a block says its type');
  const form = FORMS.get(type === 'tool_call' ? 'tool_use' : type);
  if (form === undefined) return unknownBlock(raw, type, place);
  const { known, extra } = readMembers(raw, form.names);
  return { ...form.read(known, place), ...times(known, place.path), ...(extra === undefined ? {} : { extra }) } as ContentBlock;
}

/** Strings become text blocks, null entries are dropped, a single item is a list of one. */
export function readBlocks(value: unknown, place: Place): ContentBlock[] {
  if (value === undefined || value === null) return [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const blocks: ContentBlock[] = [];
  items.forEach((item, i) => {
    if (typeof item === 'string') blocks.push({ type: 'text', text: item });
    else if (item !== null && item !== undefined) blocks.push(readBlock(item, { path: `${place.path}[${i}]`, unknown: place.unknown }));
  });
  return blocks;
}

function unknownBlock(raw: Record<string, unknown>, type: string, { path, unknown }: Place): ContentBlock {
  if (unknown === 'keep') return raw as unknown as ContentBlock;
  if (unknown === 'invalid') throw invalid(`${path}.type`, `it is one of ${[...FORMS.keys()].join(', ')}`);
  throw new AgentScopeError('wire/unknown-type', `No block type "${type.slice(0, 40)}" is known (at \`${path}\`). Read with { unknown: 'keep' } to pass it on.`, {
    details: { path: `${path}.type`, type: type.slice(0, 40) },
  });
}

function times(known: Known, path: string): object {
  const call = readNumber(known['call'], `${path}.call`);
  return {
    ...(typeof known['createdAt'] === 'string' ? { createdAt: known['createdAt'] } : {}),
    ...(typeof known['finishedAt'] === 'string' ? { finishedAt: known['finishedAt'] } : {}),
    ...(call === undefined ? {} : { call }),
  };
}

function idAndMetadata(known: Known, path: string): object {
  const id = readText(known['id'], `${path}.id`, '');
  const metadata = known['metadata'];
  return { ...(id === '' ? {} : { id }), ...(metadata === undefined || metadata === null ? {} : { metadata: readObject(metadata, `${path}.metadata`) }) };
}

function hints(known: Known, names: readonly string[], path: string): object {
  const found: Record<string, number> = {};
  for (const name of names) {
    const value = readNumber(known[name], `${path}.${name}`);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

function readData(known: Known, { path }: Place): object {
  const name = readText(known['name'], `${path}.name`, '');
  return { type: 'data', source: readSource(known['source'], `${path}.source`), ...(name === '' ? {} : { name }), ...idAndMetadata(known, path) };
}

/** Java allows a video without a source; an empty URL stands for it. */
function readVideo(known: Known, { path }: Place): object {
  const source = known['source'] ?? { type: 'url', url: '' };
  return { type: 'video', source: readSource(source, `${path}.source`), ...hints(known, VIDEO_HINTS, path) };
}

function readCall(known: Known, { path }: Place): object {
  const raw = known['input'];
  const text = typeof raw === 'string' ? raw : undefined;
  const content = known['content'];
  const rules = readRules(known['suggestedRules'], `${path}.suggestedRules`);
  return {
    type: 'tool_use',
    id: readText(known['id'], `${path}.id`, ''),
    name: readText(known['name'], `${path}.name`, ''),
    input: text === undefined ? readObject(raw, `${path}.input`) : (parseObject(text) ?? {}),
    content: content === undefined || content === null ? (text ?? null) : readText(content, `${path}.content`, ''),
    state: readWord(known['state'], CALL_STATES, { path: `${path}.state`, fallback: known['awaitUserConfirmation'] === true ? 'asking' : 'pending' }),
    metadata: readObject(known['metadata'], `${path}.metadata`),
    ...(rules.length === 0 ? {} : { suggestedRules: rules }),
  };
}

function readResult(known: Known, place: Place): object {
  const { path } = place;
  const bare = typeof known['output'] === 'string' || known['outputString'] === true;
  return {
    type: 'tool_result',
    id: readText(known['id'], `${path}.id`, ''),
    name: readText(known['name'], `${path}.name`, ''),
    output: readBlocks(known['output'], { path: `${path}.output`, unknown: place.unknown }),
    state: readWord(known['state'], RESULT_STATES, { path: `${path}.state`, fallback: 'running' }),
    metadata: readObject(known['metadata'], `${path}.metadata`),
    ...(bare ? { outputString: true } : {}),
  };
}

function readHint(known: Known, place: Place): object {
  const { path } = place;
  const hint = known['hint'];
  const source = known['source'];
  return {
    type: 'hint',
    id: readText(known['id'], `${path}.id`, ''),
    hint: Array.isArray(hint) ? hintParts(readBlocks(hint, { path: `${path}.hint`, unknown: place.unknown }), `${path}.hint`) : readText(hint, `${path}.hint`, ''),
    source: source === undefined || source === null ? null : readText(source, `${path}.source`, ''),
  };
}

/** @throws AgentScopeError `message/invalid` for anything but text and data */
export function hintParts(blocks: readonly ContentBlock[], path: string): Exclude<HintBlock['hint'], string> {
  const at = blocks.findIndex(({ type }) => type !== 'text' && type !== 'data');
  if (at >= 0) throw invalid(`${path}[${at}].type`, 'a hint holds text and data');
  return blocks as Exclude<HintBlock['hint'], string>;
}
