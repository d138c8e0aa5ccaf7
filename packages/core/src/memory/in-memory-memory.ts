import { toJava2 } from '../event/index.ts';
import type { JsonValue } from '../internal/index.ts';
import { Msg, parseMsg } from '../message/index.ts';
import type { MsgData } from '../message/index.ts';
import { nothingSaved, stateOwner } from '../state/index.ts';
import type { StateModule, StateOwner, StateStore } from '../state/index.ts';
import type { Memory } from './memory.ts';

/** Messages in a list, as long as the process lives; beyond that through `saveTo` and `loadFrom`. One instance is one conversation. */
export class InMemoryMemory implements Memory, StateModule {
  readonly componentName: string = 'memory';
  #messages: readonly Msg[] = [];

  addMessage(msg: MsgData): void {
    this.#messages = [...this.#messages, Msg.from(msg)];
  }
  /** The same list until something changes. */
  getMessages(): readonly Msg[] {
    return this.#messages;
  }
  deleteMessage(index: number): void {
    this.#messages = this.#messages.filter((_, i) => i !== index);
  }
  clear(): void {
    this.#messages = [];
  }

  /** Saves the messages as a list. */
  async saveTo(store: StateStore, key: StateOwner | string, component: string = this.componentName): Promise<void> {
    await store.save(stateOwner(key), component, this.#messages.map((msg) => toJava2(msg, { extensions: true })));
  }

  /**
   * Becomes what was saved; what it held before is gone.
   *
   * @throws AgentScopeError `session/not-found` when nothing was saved
   */
  async loadFrom(store: StateStore, key: StateOwner | string, component: string = this.componentName): Promise<void> {
    if (!(await this.loadIfExists(store, key, component))) throw nothingSaved({ key: stateOwner(key), component });
  }

  async loadIfExists(store: StateStore, key: StateOwner | string, component: string = this.componentName): Promise<boolean> {
    const saved = await store.get(stateOwner(key), component);
    if (saved === undefined) return false;
    this.#messages = messagesIn(saved);
    return true;
  }
}

function messagesIn(saved: JsonValue): readonly Msg[] {
  const list = Array.isArray(saved) ? saved : [saved];
  return list.map((item: unknown) => parseMsg(item, { unknown: 'keep' }));
}
