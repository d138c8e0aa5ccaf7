import { createTurnCutter, GO_ON, isBlank, multiAgentOf } from '../../formatter/index.ts';
import type { FormatOptions, Formatter, MultiAgentFormatterClass, Turn, TurnCutter } from '../../formatter/index.ts';
import type { Msg } from '../../message/index.ts';
import { geminiNames } from './names.ts';
import { partsOf } from './parts.ts';
import { partData } from './private-data.ts';
import { bareName, profileFor } from './profile.ts';
import type { GeminiContent, GeminiWire } from './wire.ts';

export interface GeminiFormatterOptions {
  /** How a system message in the middle of the conversation is said there, as the user. Default: between `<system>` tags. */
  readonly lateSystem?: (text: string) => string;
}

/**
 * Messages for Gemini: leading system messages as the system instruction, then turns of user and model by turns. A turn that did not
 * change is the same frozen object as last time.
 *
 * A thought signature goes back on exactly the part it came with, and only to the model that wrote it; where Gemini 3 wants one and
 * the call comes from elsewhere, the value Google documents for that stands in. Thinking without a signature is not sent. Media of
 * tools stand in their results from Gemini 3 on, else behind all results of the turn.
 */
export class GeminiChatFormatter implements Formatter<GeminiWire> {
  readonly #lateSystem: (text: string) => string;
  readonly #cut: TurnCutter;
  readonly #known: WeakMap<Turn, GeminiContent> = new WeakMap();

  constructor({ lateSystem = (text) => `<system>\n${text}\n</system>` }: GeminiFormatterOptions = {}) {
    this.#lateSystem = lateSystem;
    this.#cut = createTurnCutter({
      keepThinking: (block, modelName) => !isBlank(block.thinking) && partData(block.metadata, bareName(modelName)).thoughtSignature !== undefined,
      alternate: true,
      opening: GO_ON,
    });
  }

  format(messages: readonly Msg[], { tools, modelName }: FormatOptions): GeminiWire {
    const turns = this.#cut(messages, tools, modelName);
    const { hasSystem } = profileFor(modelName);
    const first = turns.findIndex((turn) => turn.role !== 'system');
    const system = (first < 0 ? turns : turns.slice(0, first)).flatMap((turn) => (turn.role === 'system' ? [{ text: turn.text }] : []));
    const names = geminiNames(tools);
    const spoken = turns.slice(hasSystem ? system.length : 0);
    const contents = alternating(spoken.map((turn, at) => this.#content(turn, spoken[at - 1], { modelName, nameOf: names.fromCut })));
    return { ...(hasSystem && system.length > 0 ? { systemInstruction: { parts: system } } : {}), contents };
  }

  #content(turn: Turn, before: Turn | undefined, options: { modelName: string; nameOf: (name: string) => string }): GeminiContent {
    let known = this.#known.get(turn);
    if (known === undefined) {
      const parts = partsOf(turn, { ...options, lateSystem: this.#lateSystem, calls: before?.role === 'assistant' ? before.calls : [] });
      for (const part of parts) Object.freeze(part);
      known = Object.freeze({ role: turn.role === 'assistant' ? 'model' : 'user', parts: Object.freeze(parts) } as const);
      this.#known.set(turn, known);
    }
    return known;
  }
}

/** For conversations of several named speakers: what was said is written out between tags with their names, model calls with tools stand as ever. Options: those of the chat formatter and `MultiAgentOptions`. */
export const GeminiMultiAgentFormatter: MultiAgentFormatterClass<GeminiWire, GeminiFormatterOptions> = /* @__PURE__ */ multiAgentOf(GeminiChatFormatter);

/** Neighbours of one role are one content. */
function alternating(contents: readonly GeminiContent[]): readonly GeminiContent[] {
  const result: GeminiContent[] = [];
  for (const content of contents) {
    const last = result.at(-1);
    if (last?.role === content.role) result[result.length - 1] = { role: last.role, parts: [...last.parts, ...content.parts] };
    else result.push(content);
  }
  return result;
}
