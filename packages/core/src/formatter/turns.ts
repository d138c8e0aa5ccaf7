import type { ContentBlock, MediaBlock, Msg, TextBlock, ThinkingBlock } from '../message/index.ts';
import { createBlockMemo } from './block-memo.ts';
import type { BlockMemo } from './block-memo.ts';
import { cacheControlOf } from './cache-control.ts';
import type { FormatterTool } from './formatter.ts';
import { isMedia } from './media.ts';
import { cleanName, toolNames, unique } from './names.ts';
import type { NameMap } from './names.ts';
import { repairedResults } from './results.ts';
import { cutRounds } from './rounds.ts';
import type { Round, Said } from './rounds.ts';
import { argumentsOf, isBlank } from './text.ts';
import type { AssistantTurn, Turn, TurnCall, UserTurn } from './turn.ts';

/** How one provider wants its turns. */
export interface TurnRules {
  /** Thinking that goes back to this provider, judged by its private data (`block.metadata[provider]`). Default: none. */
  readonly keepThinking?: (block: ThinkingBlock, modelName: string) => boolean;
  /** Blank text of an assistant that goes back all the same, since private data hang on it. Default: none. */
  readonly keepBlank?: (block: TextBlock) => boolean;
  /**
   * For providers whose tool results hold text only: media this returns true for move into one user turn behind all results of the
   * turn, the rest becomes a note. Without it media stay in the results.
   */
  readonly promoteMedia?: (block: MediaBlock) => boolean;
  /** Characters of a call id. Default: no limit. */
  readonly maxIdLength?: number;
  /** Characters a call id must not have; each becomes `_`. Default: none. */
  readonly badIdCharacters?: RegExp;
  /** Names of tools the provider keeps for itself. Default: none. */
  readonly reservedNames?: readonly string[];
  /** Said as the user where the conversation would end with an assistant turn, which many providers refuse. `null`: nothing is. */
  readonly goOn?: string | null;
  /** The `goOn` text also stands between two assistant turns in a row, where it stood when the second was asked for. Default false. */
  readonly alternate?: boolean;
  /** Said as the user where the conversation would begin with an assistant turn. Default: nothing is. */
  readonly opening?: string;
}

/** What a request says where the conversation would end with the assistant. */
export const GO_ON = 'Please go on.';

/**
 * The one repair pass before every formatter (PROVIDERS §1.7): stored messages to turns any provider takes. Turns are remembered by
 * the identity of their blocks: what did not change is the same object as last time, and providers remember their own form of it.
 */
export function createTurnCutter(rules: TurnRules): TurnCutter {
  const memo = createBlockMemo<readonly Turn[]>();
  return (messages, tools, modelName = '') => {
    const turns: Turn[] = [];
    const request: RequestNames = { modelName, tools: toolNames(tools, rules.reservedNames), ids: new Set(), speakers: new Map(), safe: new Set() };
    for (const segment of cutRounds(messages)) {
      if (segment.kind === 'round') turns.push(...roundTurns(segment, { rules, memo, request }));
      else turns.push(...saidTurns(segment, { rules, memo, request }));
    }
    return framed(turns, rules);
  };
}

export type TurnCutter = (messages: readonly Msg[], tools: readonly FormatterTool[] | undefined, modelName?: string) => readonly Turn[];

/** What the user has to have said where nobody did: at the beginning, between two answers, and at the end. */
function framed(turns: readonly Turn[], { goOn = GO_ON, alternate = false, opening }: TurnRules): readonly Turn[] {
  const result: Turn[] = [];
  let last: Turn['role'] = 'system';
  for (const turn of turns) {
    if (turn.role === 'assistant' && last === 'system' && opening !== undefined && !result.some(isSpoken)) result.push(saying(opening));
    if (alternate && turn.role === 'assistant' && last === 'assistant' && goOn !== null) result.push(saying(goOn));
    result.push(turn);
    if (turn.role !== 'system') last = turn.role;
  }
  if (last === 'system' && opening !== undefined) result.push(saying(opening));
  if (last === 'assistant' && goOn !== null) result.push(saying(goOn));
  return result;
}

function isSpoken(turn: Turn): boolean {
  return turn.role !== 'system';
}

function saying(text: string): UserTurn {
  return { role: 'user', name: undefined, safeName: undefined, content: [{ type: 'text', text }] };
}

interface Repair {
  readonly rules: TurnRules;
  readonly memo: BlockMemo<readonly Turn[]>;
  readonly request: RequestNames;
}

/** Names given out so far in one request. */
interface RequestNames {
  readonly modelName: string;
  readonly tools: NameMap;
  readonly ids: Set<string>;
  readonly speakers: Map<string, string>;
  readonly safe: Set<string>;
}

function saidTurns(said: Said, { memo, request }: Repair): readonly Turn[] {
  const safeName = safeNameOf(said.name, request);
  return memo(said.blocks, [said.kind, said.name ?? '', safeName ?? ''], () => {
    if (said.kind === 'system') {
      const text = said.blocks.flatMap((block) => (block.type === 'text' && !isBlank(block.text) ? [block.text] : [])).join('\n');
      const cacheControl = said.blocks.findLast((block) => cacheControlOf(block) !== undefined);
      return isBlank(text) ? [] : [{ role: 'system', text: text.toWellFormed(), cacheControl: cacheControl && cacheControlOf(cacheControl) }];
    }
    const content = said.blocks.flatMap(userContent);
    return content.length === 0 ? [] : [{ role: 'user', name: said.name ?? undefined, safeName, content } satisfies UserTurn];
  });
}

function userContent(block: ContentBlock): readonly (TextBlock | MediaBlock)[] {
  if (isMedia(block)) return [block];
  if (block.type === 'hint') return typeof block.hint === 'string' ? textOf(block.hint) : block.hint.flatMap(userContent);
  return block.type === 'text' ? spoken(block) : [];
}

function textOf(text: string): readonly TextBlock[] {
  return spoken({ type: 'text', text });
}

function spoken(block: TextBlock): readonly TextBlock[] {
  if (isBlank(block.text)) return [];
  return [block.text.isWellFormed() ? block : { ...block, text: block.text.toWellFormed() }];
}

function roundTurns(round: Round, { rules, memo, request }: Repair): readonly Turn[] {
  const names: string[] = [round.name ?? '', safeNameOf(round.name, request) ?? ''];
  for (const { block } of round.calls) names.push(idOf(block.id, rules, request), request.tools.toWire(block.name));
  const parts = round.calls.length === 0 ? round.blocks : [...round.blocks, ...round.calls.map((slot) => slot.result)];
  return memo(parts, rules.keepThinking === undefined ? names : [...names, request.modelName], () => {
    const turn = assistantTurn(round, names, { rules, modelName: request.modelName });
    if (turn.content.length === 0) return [];
    return turn.calls.length === 0 ? [turn] : [turn, ...repairedResults(round, turn.calls, rules)];
  });
}

function assistantTurn(round: Round, names: readonly string[], { rules, modelName }: { rules: TurnRules; modelName: string }): AssistantTurn {
  const calls: TurnCall[] = [];
  const content = round.blocks.flatMap((block): AssistantTurn['content'] => {
    if (block.type === 'thinking') return rules.keepThinking?.(block, modelName) === true ? [block] : [];
    if (block.type === 'text') return rules.keepBlank?.(block) === true ? [block] : spoken(block);
    if (isMedia(block)) return [block];
    if (block.type !== 'tool_use') return [];
    const at = 2 + 2 * calls.length;
    const call: TurnCall = { type: 'call', id: names[at] ?? '', name: names[at + 1] ?? '', ...argumentsOf(block), metadata: block.metadata, block };
    calls.push(call);
    return [call];
  });
  return { role: 'assistant', name: round.name ?? undefined, safeName: names[1] || undefined, content, calls };
}

/** Ids are the model's own and may come twice: later ones get a number, so earlier turns stay as they were. */
function idOf(id: string, { maxIdLength, badIdCharacters }: TurnRules, { ids }: RequestNames): string {
  const legal = badIdCharacters === undefined ? id.toWellFormed() : id.replace(badIdCharacters, '_');
  const wire = unique(legal === '' ? `call_${ids.size + 1}` : legal, ids, maxIdLength);
  ids.add(wire);
  return wire;
}

/** Speakers whose names clean to the same text are told apart by a number, in order of appearance. */
function safeNameOf(name: string | null, { speakers, safe }: RequestNames): string | undefined {
  if (name === null || name === '') return undefined;
  let wire = speakers.get(name);
  if (wire === undefined) {
    wire = unique(cleanName(name, 'agent'), safe, 64);
    speakers.set(name, wire);
    safe.add(wire);
  }
  return wire;
}
