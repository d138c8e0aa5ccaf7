import { INBOX_POLL_MS, onPost } from '../session/index.ts';
import type { FullSessionKey, InboxItem, Session } from '../session/index.ts';
import { readMail } from './mail.ts';
import type { Mail, StopRequest } from './mail.ts';

export interface MailboxOptions {
  readonly store: Session;
  readonly key: FullSessionKey;
  /** Called at once for a stop that came while something runs; it is read like everything else afterwards. */
  onStop(stop: StopRequest): void;
}

/**
 * A session's inbox as the run that owns the session sees it. A post in this process is heard at once; with a store that other
 * processes reach it looks every {@link INBOX_POLL_MS} as long as it is open.
 */
export class Mailbox {
  readonly #store: Session;
  readonly #key: FullSessionKey;
  readonly #onStop: (stop: StopRequest) => void;
  /** Ids that were read: an input waits in the inbox for its turn, and is no news. */
  readonly #known = new Set<string>();
  readonly #done = new Set<string>();
  #hasNews = false;
  #looking = false;
  #leave: (() => void) | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor({ store, key, onStop }: MailboxOptions) {
    this.#store = store;
    this.#key = key;
    this.#onStop = onStop;
  }

  open(): void {
    this.#leave = onPost(this.#store, this.#key, () => {
      this.#hasNews = true;
      void this.#look();
    });
    if (this.isShared) this.#timer = setInterval(() => void this.#look(), INBOX_POLL_MS);
  }
  close(): void {
    this.#leave?.();
    clearInterval(this.#timer);
  }

  /** True where other processes may post. */
  get isShared(): boolean {
    return this.#store.store !== 'memory';
  }
  /** True when something came that was not read. */
  get hasNews(): boolean {
    return this.#hasNews;
  }

  /** All that waits: what had its effect is left out, an input that waits for its turn is not. */
  async read(): Promise<Mail> {
    this.#hasNews = false;
    const items = await this.#store.inbox(this.#key);
    for (const { id } of items) this.#known.add(id);
    return readMail(items.filter(({ id }) => !this.#done.has(id)));
  }

  /** Takes items out; what they led to is durable. Should that fail, the next run reads them again, and they have no second effect. */
  async done(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const id of ids) this.#done.add(id);
    await this.#store.acknowledge(this.#key, ids).catch(() => undefined);
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    // A store that does not answer now fails the next append, which says so.
    const items = await this.#store.inbox(this.#key).catch((): readonly InboxItem[] => []);
    this.#looking = false;
    const news = items.filter(({ id }) => !this.#known.has(id));
    if (news.length === 0) return;
    this.#hasNews = true;
    for (const stop of readMail(news).stops) this.#onStop(stop);
  }
}
