import { AgentScopeError } from '../error/index.ts';
import type { Memory } from '../memory/index.ts';
import { Msg } from '../message/index.ts';
import { keyText, SUMMARY } from '../session/index.ts';
import type { FullSessionKey, Journal } from '../session/index.ts';
import { summaryMessage } from './summary-message.ts';

/** The option `memory`: one for the default session, or a function that makes one for each. */
export type MemoryOption = Memory | ((key: FullSessionKey) => Memory);

/** Which memory a session has, where the option was given. */
export interface Memories {
  /** To give on to a changed copy of the agent: it finds the same memories. */
  readonly option: MemoryOption;
  /** False for a session the memory is not for. */
  serves(key: FullSessionKey): boolean;
  /** @throws AgentScopeError `config/invalid` for another session than the default one, where the option is one memory */
  of(key: FullSessionKey): SessionMemory;
}

export function createMemories(given: MemoryOption, defaultSessionId: string): Memories {
  const option = typeof given === 'function' ? madeOnce(given) : given;
  const kept = new WeakMap<Memory, SessionMemory>();
  const keep = (memory: Memory): SessionMemory => {
    const found = kept.get(memory) ?? new SessionMemory(memory);
    kept.set(memory, found);
    return found;
  };
  const serves = (key: FullSessionKey): boolean => typeof option === 'function' || (key.userId === undefined && key.sessionId === defaultSessionId);
  return {
    option,
    serves,
    of(key) {
      if (typeof option === 'function') return keep(option(key));
      if (serves(key)) return keep(option);
      throw new AgentScopeError('config/invalid', 'The option `memory` is one memory, so it serves the default session only. Pass a function that makes one for each session: memory: () => new InMemoryMemory().', {
        details: { option: 'memory' },
      });
    },
  };
}

/** A memory as the loop uses it. The journal stays the record; the memory decides what the model is shown. */
class SessionMemory {
  readonly memory: Memory;
  /** Handed over since the last reply ended: a memory may show less than it was given. */
  readonly #given = new Set<string>();

  constructor(memory: Memory) {
    this.memory = memory;
  }

  /** Hands over what it was not given yet. */
  async take(messages: readonly Msg[]): Promise<void> {
    const there = new Set((await this.memory.getMessages()).map(({ id }) => id));
    for (const msg of messages) {
      if (there.has(msg.id) || this.#given.has(msg.id)) continue;
      this.#given.add(msg.id);
      try {
        await this.memory.addMessage(msg);
      } catch (error) {
        this.#given.delete(msg.id);
        throw error;
      }
    }
  }

  /** After a run: a reply that ended is added like any other message (one without content not), then what came while it ran. */
  async finish(journal: Journal, replyId: string): Promise<void> {
    if (journal.openReply()) return;
    const reply = journal.reply(replyId);
    if (reply && reply.content.length > 0) await this.take([reply]);
    this.#given.clear();
    await this.take(journal.unanswered());
  }

  /** What the model is shown: the memory's messages, then what the running reply has said. */
  async shown(running: Msg): Promise<readonly Msg[]> {
    const messages = (await this.memory.getMessages()).filter(({ id }) => id !== running.id).map((msg) => Msg.from(msg));
    return running.content.length === 0 ? messages : [...messages, running];
  }

  /** After it was loaded: what was handed over before says nothing about what it holds. */
  forget(): void {
    this.#given.clear();
  }

  /** Becomes exactly these messages. */
  async replace(messages: readonly Msg[]): Promise<void> {
    await this.memory.clear();
    this.forget();
    for (const msg of messages) await this.memory.addMessage(msg);
  }
}

/**
 * What a memory is filled with from a conversation: its summary, and the messages up to an open reply. That is shown behind what the
 * memory shows, and added once it ended, with what came meanwhile.
 */
export function toRemember(view: Pick<Journal, 'openReply' | 'context' | 'state'>): readonly Msg[] {
  const open = view.openReply()?.message.id;
  const context = view.context();
  const ended = open === undefined ? context : context.slice(0, context.findIndex(({ id }) => id === open));
  const summary = view.state(SUMMARY);
  return typeof summary === 'string' && summary !== '' ? [summaryMessage(summary), ...ended] : ended;
}

function madeOnce(make: (key: FullSessionKey) => Memory): (key: FullSessionKey) => Memory {
  const made = new Map<string, Memory>();
  return (key) => {
    const name = keyText(key);
    const memory = made.get(name) ?? make(key);
    made.set(name, memory);
    return memory;
  };
}
