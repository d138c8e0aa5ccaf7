import { createTurnCutter, GO_ON, multiAgentOf } from '../../../formatter/index.ts';
import type { FormatOptions, Formatter, MultiAgentFormatterClass, Turn, TurnCutter } from '../../../formatter/index.ts';
import type { Msg, ThinkingBlock } from '../../../message/index.ts';
import { itemsOf } from './input-items.ts';
import { itemData } from './private-data.ts';
import type { OpenAIResponsesItem } from './wire.ts';

export interface OpenAIResponsesFormatterOptions {
  /** The server keeps what it answered, so reasoning goes back by its id where nothing encrypted came with it. Default false. */
  readonly store?: boolean;
}

/**
 * Messages for the Responses API. Each item of a turn that did not change is the same frozen object as last time.
 *
 * Reasoning goes back as its item, in its place, to the model that wrote it: encrypted, or by its id where the server stores. Pictures and
 * files stand in messages and in results; films and sounds, which the API cannot take, become a note. Names are not sent.
 */
export class OpenAIResponsesFormatter implements Formatter<OpenAIResponsesItem[]> {
  readonly #store: boolean;
  readonly #cut: TurnCutter;
  readonly #known: WeakMap<Turn, readonly OpenAIResponsesItem[]> = new WeakMap();

  constructor({ store = false }: OpenAIResponsesFormatterOptions = {}) {
    this.#store = store;
    this.#cut = createTurnCutter({ keepThinking: (block, modelName) => this.#goesBack(block, modelName), maxIdLength: 64, alternate: true, opening: GO_ON });
  }

  format(messages: readonly Msg[], { tools, modelName }: FormatOptions): OpenAIResponsesItem[] {
    const items: OpenAIResponsesItem[] = [];
    const reasoning = new Set<unknown>();
    for (const turn of this.#cut(messages, tools, modelName)) {
      let known = this.#known.get(turn);
      if (known === undefined) this.#known.set(turn, (known = itemsOf(turn, { modelName, store: this.#store }).map((item) => Object.freeze(item))));
      for (const item of known) {
        if (item['type'] === 'reasoning') {
          if (reasoning.has(item['id'])) continue; // an id twice is refused; a history copied together may hold one
          reasoning.add(item['id']);
        }
        items.push(item);
      }
    }
    return items;
  }

  #goesBack({ metadata }: ThinkingBlock, modelName: string): boolean {
    return itemData(metadata, modelName).id !== undefined;
  }
}

/** For conversations of several named speakers: what was said is written out between tags with their names, model calls with tools stand as ever. Options: those of the chat formatter and `MultiAgentOptions`. */
export const OpenAIResponsesMultiAgentFormatter: MultiAgentFormatterClass<OpenAIResponsesItem[], OpenAIResponsesFormatterOptions> = /* @__PURE__ */ multiAgentOf(OpenAIResponsesFormatter);
