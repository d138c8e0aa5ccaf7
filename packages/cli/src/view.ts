import type { AgentEvent } from '@agentscope/core';

/** Shows a reply as its events come. */
export interface View {
  event(event: AgentEvent): void;
  /** The reply has ended, well or not: the line is closed. */
  end(): void;
}

export type Write = (text: string) => void;

/** Only the answer's text. Text of later rounds begins on a new line. */
export function answerView(write: Write): View {
  const lines = new LineKeeper(write);
  return {
    event(event) {
      if (event.source !== undefined) return;
      if (event.type === 'TEXT_BLOCK_START') lines.close();
      if (event.type === 'TEXT_BLOCK_DELTA') lines.say(event.delta);
    },
    end: () => lines.close(),
  };
}

/** Writes, and knows whether the line is open. */
export class LineKeeper {
  readonly #write: Write;
  #last = '\n';

  constructor(write: Write) {
    this.#write = write;
  }

  say(text: string): void {
    if (text === '') return;
    this.#write(text);
    this.#last = text.slice(-1);
  }
  close(): void {
    this.say(this.#last === '\n' ? '' : '\n');
  }
}
