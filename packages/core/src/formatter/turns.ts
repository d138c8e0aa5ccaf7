import type { ContentBlock, MediaBlock, Msg, TextBlock, ThinkingBlock } from '../message/index.ts';
import type { FormatterTool } from './formatter.ts';
import { isMedia } from './media.ts';
import { cleanName, toolNames, unique } from './names.ts';
import type { NameMap } from './names.ts';
import { repairedResults } from './results.ts';
import { cutRounds } from './rounds.ts';
import type { Round, Said } from './rounds.ts';
import { argumentsOf, isBlank } from './text.ts';
import { createTurnMemo } from './turn-memo.ts';
import type { TurnMemo } from './turn-memo.ts';
import type { AssistantTurn, Turn, TurnCall, UserTurn } from './turn.ts';

/** How one provider wants its turns. */
export interface TurnRules {
  /** Thinking that goes back to this provider. Default: none. */
  readonly keepThinking?: (block: ThinkingBlock) => boolean;
  /**
   * For providers whose tool results hold text only: media this returns true for move into one user turn behind all results of the
   * turn, the rest becomes a note. Without it media stay in the results.
   */
  readonly promoteMedia?: (block: MediaBlock) => boolean;
  /** Characters of a call id. Default: no limit. */
  readonly maxIdLength?: number;
  /** Said as the user where the conversation would end with an assistant turn, which many providers refuse. `null`: nothing is. */
  readonly goOn?: string | null;
}

/** What a request says where the conversation would end with the assistant. */
export const GO_ON = 'Please go on.';

/**
 * The one repair pass before every formatter (PROVIDERS §1.7): stored messages to turns any provider takes. Turns are remembered by
 * the identity of their blocks: what did not change is the same object as last time, and providers remember their own form of it.
 */
export function createTurnCutter(rules: TurnRules): (messages: readonly Msg[], tools: readonly FormatterTool[] | undefined) => readonly Turn[] {
  const memo = createTurnMemo();
  const goOn = rules.goOn === undefined ? GO_ON : rules.goOn;
  return (messages, tools) => {
    const turns: Turn[] = [];
    const request: RequestNames = { tools: toolNames(tools), ids: new Set(), speakers: new Map(), safe: new Set() };
    for (const segment of cutRounds(messages)) {
      if (segment.kind === 'round') turns.push(...roundTurns(segment, { rules, memo, request }));
      else turns.push(...saidTurns(segment, { rules, memo, request }));
    }
    if (goOn !== null && turns.at(-1)?.role === 'assistant') turns.push({ role: 'user', name: undefined, safeName: undefined, content: [{ type: 'text', text: goOn }] });
    return turns;
  };
}

interface Repair {
  readonly rules: TurnRules;
  readonly memo: TurnMemo;
  readonly request: RequestNames;
}

/** Names given out so far in one request. */
interface RequestNames {
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
      return isBlank(text) ? [] : [{ role: 'system', text: text.toWellFormed() }];
    }
    const content = said.blocks.flatMap(userContent);
    return content.length === 0 ? [] : [{ role: 'user', name: said.name ?? undefined, safeName, content } satisfies UserTurn];
  });
}

function userContent(block: ContentBlock): readonly (TextBlock | MediaBlock)[] {
  if (isMedia(block)) return [block];
  if (block.type === 'hint') return typeof block.hint === 'string' ? textOf(block.hint) : block.hint.flatMap(userContent);
  return block.type === 'text' ? textOf(block.text) : [];
}

function textOf(text: string): readonly TextBlock[] {
  return isBlank(text) ? [] : [{ type: 'text', text: text.toWellFormed() }];
}

function roundTurns(round: Round, { rules, memo, request }: Repair): readonly Turn[] {
  const names: string[] = [round.name ?? '', safeNameOf(round.name, request) ?? ''];
  for (const { block } of round.calls) names.push(idOf(block.id, rules, request), request.tools.toWire(block.name));
  const parts = round.calls.length === 0 ? round.blocks : [...round.blocks, ...round.calls.map((slot) => slot.result)];
  return memo(parts, names, () => {
    const turn = assistantTurn(round, names, rules);
    if (turn.content.length === 0) return [];
    return turn.calls.length === 0 ? [turn] : [turn, ...repairedResults(round, turn.calls, rules)];
  });
}

function assistantTurn(round: Round, names: readonly string[], rules: TurnRules): AssistantTurn {
  const calls: TurnCall[] = [];
  const content = round.blocks.flatMap((block): AssistantTurn['content'] => {
    if (block.type === 'thinking') return rules.keepThinking?.(block) === true ? [block] : [];
    if (block.type === 'text') return isBlank(block.text) ? [] : [block.text.isWellFormed() ? block : { ...block, text: block.text.toWellFormed() }];
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
function idOf(id: string, { maxIdLength }: TurnRules, { ids }: RequestNames): string {
  const wire = unique(id === '' ? `call_${ids.size + 1}` : id.toWellFormed(), ids, maxIdLength);
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
