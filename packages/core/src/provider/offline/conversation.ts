import type { JsonObject } from '../../internal/index.ts';
import type { ContentBlock, MsgData, ToolResultState } from '../../message/index.ts';

/** A call of the running turn and what came of it. */
export interface Outcome {
  readonly name: string;
  readonly input: JsonObject;
  readonly state: ToolResultState;
  readonly text: string;
}

/** What matters of a conversation to a rule-based model: the last thing asked, and what was done about it. */
export interface Turn {
  /** What the user said last, all of it since the answer before. */
  readonly asked: string;
  /** What the user said before, when our last answer was a question. */
  readonly askedBefore: string | undefined;
  readonly outcomes: readonly Outcome[];
  /** Nothing was said in this conversation yet. */
  readonly isFirstAnswer: boolean;
  /** Tool calls in the whole conversation, so that ids go on counting. */
  readonly calls: number;
}

/** Every question of ours ends in it; the next turn is read together with the one before. */
export const QUESTION_MARK = 'Please tell me.';

export function readTurn(messages: readonly MsgData[]): Turn {
  const rounds: Round[] = [{ asked: [], said: [], calls: new Map(), outcomes: [] }];
  for (const { role, content } of messages) {
    if (role !== 'SYSTEM') for (const block of content) readBlock(rounds, role === 'USER', block);
  }
  const [round, before] = [rounds.at(-1), rounds.at(-2)];
  const isAnswer = before?.said.at(-1)?.trimEnd().endsWith(QUESTION_MARK) === true;
  return {
    asked: (round?.asked ?? []).join('\n'),
    askedBefore: isAnswer ? before.asked.join('\n') : undefined,
    outcomes: round?.outcomes ?? [],
    isFirstAnswer: rounds.every(({ said }) => said.length === 0),
    calls: rounds.reduce((sum, { calls }) => sum + calls.size, 0),
  };
}

interface Round {
  readonly asked: string[];
  readonly said: string[];
  readonly calls: Map<string, JsonObject>;
  readonly outcomes: Outcome[];
}

function readBlock(rounds: Round[], isUser: boolean, block: ContentBlock): void {
  let round = rounds.at(-1);
  if (round === undefined) return;
  const asked = askedText(isUser, block);
  if (asked !== undefined) {
    if (round.said.length > 0 || round.calls.size > 0 || round.outcomes.length > 0) {
      round = { asked: [], said: [], calls: new Map(), outcomes: [] };
      rounds.push(round);
    }
    round.asked.push(asked);
  } else if (isUser) return;
  else if (block.type === 'text' && block.text !== '') round.said.push(block.text);
  else if (block.type === 'tool_use') round.calls.set(block.id, block.input);
  else if (block.type === 'tool_result') {
    const text = textOf(block.output);
    round.outcomes.push({ name: block.name, input: round.calls.get(block.id) ?? {}, state: block.state, text });
  }
}

/** What a person said: text of a user message, or a message put into the running reply. */
function askedText(isUser: boolean, block: ContentBlock): string | undefined {
  if (isUser && block.type === 'text') return block.text;
  if (block.type !== 'hint' || block.source !== 'user') return undefined;
  return typeof block.hint === 'string' ? block.hint : textOf(block.hint);
}

function textOf(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join('\n');
}
