import type { FormatOptions, Formatter } from '../../formatter/index.ts';
import type { Msg } from '../../message/index.ts';
import { ChatFormatter } from '../shared/chat/index.ts';
import type { ChatWireMessage } from '../shared/chat/index.ts';
import { compatibleProfile } from './compatible-profile.ts';
import type { CompatibleWishes } from './compatible-profile.ts';

/** Messages of Chat Completions as DashScope takes them: leading system messages are one, and later ones are said by the user. */
export class CompatibleFormatter implements Formatter<ChatWireMessage[]> {
  readonly #wishes: CompatibleWishes;
  readonly #lateSystem: (text: string) => string;
  readonly #models: Map<string, ChatFormatter> = new Map();
  readonly #late: WeakMap<ChatWireMessage, ChatWireMessage> = new WeakMap();

  constructor(wishes: CompatibleWishes, lateSystem: (text: string) => string) {
    this.#wishes = wishes;
    this.#lateSystem = lateSystem;
  }

  format(messages: readonly Msg[], options: FormatOptions): ChatWireMessage[] {
    const { modelName } = options;
    let chat = this.#models.get(modelName);
    if (chat === undefined) this.#models.set(modelName, (chat = new ChatFormatter(compatibleProfile(modelName, this.#wishes))));
    const wire = chat.format(messages, { ...options, thinking: true });
    const spoken = wire.findIndex(({ role }) => role !== 'system');
    const leading = wire.slice(0, spoken < 0 ? wire.length : spoken);
    const rest = wire.slice(leading.length).map((message) => (message.role === 'system' ? this.#said(message) : message));
    return leading.length < 2 ? [...leading, ...rest] : [{ role: 'system', content: leading.map(({ content }) => content).join('\n\n') }, ...rest];
  }

  #said(message: ChatWireMessage): ChatWireMessage {
    let said = this.#late.get(message);
    if (said === undefined) this.#late.set(message, (said = Object.freeze({ role: 'user', content: this.#lateSystem(String(message.content)) })));
    return said;
  }
}
