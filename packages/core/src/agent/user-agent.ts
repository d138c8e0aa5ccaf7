import { AgentScopeError } from '../error/index.ts';
import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { isObject, isoTime, newId } from '../internal/index.ts';
import type { Awaitable, JsonObject, Schema } from '../internal/index.ts';
import { STRUCTURED_OUTPUT_KEY, UserMessage } from '../message/index.ts';
import type { Content, ContentBlock, Msg, MsgData, UserBlock } from '../message/index.ts';
import { keyText } from '../session/index.ts';
import type { FullSessionKey, SessionKey } from '../session/index.ts';
import type { Accepted, Agent, AgentInput, CallOptions, EventStream, InterruptOptions, InterruptReceipt, StreamOptions } from './agent.ts';
import { invalidOption } from './check-options.ts';
import { createEventStream } from './event-stream.ts';
import type { Outlet, StreamedRun } from './event-stream.ts';
import { toInput, toMessages } from './input.ts';
import { untilAborted } from './until-aborted.ts';

/** What a person said, with the fields they filled in: those are the structured data of the message. */
export interface UserInputData {
  readonly blocksInput: Content<UserBlock>;
  readonly structuredInput?: JsonObject | undefined;
}
export interface UserInputOptions {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Of the agent that asks. */
  readonly name: string;
  /** Of the call: what the answer must hold as data. */
  readonly schema?: Schema | undefined;
}
/** Asks a person: what was said since they last spoke goes in, what they say comes out. */
export type UserInput = (prompt: readonly Msg[], options: UserInputOptions) => Awaitable<Content<UserBlock> | UserInputData>;
/** A way to ask that has a state, as a terminal. */
export interface UserInputBase {
  readonly handleInput: UserInput;
  /** It asks for the fields of a call's `schema` and checks them. Default false: a call with a schema is refused, nobody is asked. */
  readonly takesSchema?: boolean;
}

export interface UserAgentOptions {
  /** Also the name of its messages. Default `'user'`. */
  readonly name?: string | undefined;
  /** Default: the name. */
  readonly id?: string | undefined;
  /** `new TerminalUserInput()` of `@agentscope/core/node`, or a function of your own. */
  readonly input: UserInput | UserInputBase;
}

/**
 * A person as an agent, for hubs and pipelines: `call` asks for words and gives them back as a message with the role `USER`. What it
 * hears by `observe` is shown with the next question. It keeps that in memory only, for each session apart.
 */
export class UserAgent implements Agent {
  readonly id: string;
  readonly name: string;
  readonly #input: UserInput;
  readonly #takesSchema: boolean;
  readonly #heard = new Map<string, Msg[]>();
  readonly #asking = new Map<string, UserRun>();

  /** @throws AgentScopeError `config/invalid` without `input` */
  constructor({ name = 'user', id = name, input }: UserAgentOptions) {
    this.id = id;
    this.name = name;
    this.#input = askerOf(input);
    this.#takesSchema = typeof input === 'object' && input.takesSchema === true;
  }

  /** @throws AgentScopeError `message/invalid` for an answer: a person asks no questions that could be answered so; `config/invalid` for a `schema` where the input takes none */
  async call(input?: AgentInput, options: CallOptions = {}): Promise<Msg> {
    return this.#ask(input, options).result;
  }

  streamEvents(input?: AgentInput, { detach = false, ...options }: StreamOptions = {}): EventStream {
    return createEventStream({ start: (outlet) => this.#ask(input, options, outlet), detach });
  }

  async observe(messages: MsgData | readonly MsgData[], key: SessionKey = {}): Promise<void> {
    this.#hear(this.#keyOf(key), toMessages(messages));
  }

  /** The person is not waited for any longer; the message has no content and the reason `INTERRUPTED`. */
  async interrupt({ message, ...key }: SessionKey & InterruptOptions = {}): Promise<InterruptReceipt> {
    const full = this.#keyOf(key);
    const run = this.#asking.get(keyText(full));
    run?.interrupt();
    if (message !== undefined) this.#hear(full, toMessages(typeof message === 'string' ? new UserMessage('user', message) : message));
    return { replyId: run?.replyId ?? null };
  }

  #ask(input: AgentInput, options: CallOptions, outlet?: Outlet): UserRun {
    const key = this.#keyOf(options);
    const name = keyText(key);
    const run = new UserRun({
      key,
      name: this.name,
      signal: options.signal,
      outlet,
      ask: async (signal) => {
        const read = toInput(input);
        if (read.kind === 'answers') throw noAnswers();
        if (options.schema !== undefined && !this.#takesSchema) throw invalidOption('schema', 'This person answers in words, not by a schema. Use an input that asks for fields (TerminalUserInput does), or an agent with a model.');
        if (read.kind === 'messages') this.#hear(key, read.messages);
        const prompt = this.#heard.get(name) ?? [];
        this.#heard.delete(name);
        return toData(await this.#input(prompt, { signal, name: this.name, schema: options.schema }));
      },
    });
    this.#asking.set(name, run);
    const done = (): void => {
      if (this.#asking.get(name) === run) this.#asking.delete(name);
    };
    run.result.then(done, done);
    return run;
  }

  #hear(key: FullSessionKey, messages: readonly Msg[]): void {
    const name = keyText(key);
    this.#heard.set(name, [...(this.#heard.get(name) ?? []), ...messages]);
  }

  #keyOf({ userId, sessionId }: SessionKey): FullSessionKey {
    return { userId, sessionId: sessionId ?? this.name };
  }
}

function askerOf(input: UserInput | UserInputBase): UserInput {
  if (typeof input === 'function') return input;
  if (isObject(input) && typeof input.handleInput === 'function') return (prompt, options) => input.handleInput(prompt, options);
  throw invalidOption('input', 'A UserAgent needs `input`, a function that asks the person: new UserAgent({ input: (prompt) => … }). In a terminal: new TerminalUserInput() of @agentscope/core/node.');
}

function toData(said: Content<UserBlock> | UserInputData): UserInputData {
  return isObject(said) && 'blocksInput' in said ? (said as UserInputData) : { blocksInput: said as Content<UserBlock> };
}

function noAnswers(): AgentScopeError<'message/invalid'> {
  const rule = 'a UserAgent asks nothing that could be answered so';
  return new AgentScopeError('message/invalid', `Invalid input: ${rule}.`, { details: { path: '', rule } });
}

interface UserRunOptions {
  readonly key: FullSessionKey;
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  readonly outlet: Outlet | undefined;
  ask(signal: AbortSignal): Promise<UserInputData>;
}

class UserRun implements StreamedRun {
  readonly replyId: string = newId();
  readonly accepted: Promise<Accepted>;
  readonly result: Promise<Msg>;
  readonly #options: UserRunOptions;
  readonly #controller = new AbortController();
  readonly #events: AgentEvent[] = [];

  constructor(options: UserRunOptions) {
    this.#options = options;
    this.accepted = Promise.resolve({ replyId: this.replyId, seq: 0 });
    this.result = this.#run();
    this.result.catch(() => undefined);
  }

  interrupt(): void {
    this.#controller.abort(new DOMException('The person is not waited for any longer.', 'AbortError'));
  }

  async leave(): Promise<void> {
    this.interrupt();
    await this.result.catch(() => undefined);
  }

  async *replay(): AsyncGenerator<AgentEvent, void, undefined> {
    await this.result.catch(() => undefined);
    yield* this.#events;
  }

  async #run(): Promise<Msg> {
    const { signal, name, key } = this.#options;
    const onAbort = (): void => this.#controller.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#say([createEvent('AGENT_START', { replyId: this.replyId, sessionId: key.sessionId, name, role: 'user' })]);
    let error: unknown;
    try {
      const { blocksInput, structuredInput } = await this.#words();
      const metadata = structuredInput === undefined ? {} : { [STRUCTURED_OUTPUT_KEY]: structuredInput };
      return this.#end(new UserMessage({ id: this.replyId, name, content: blocksInput, metadata }));
    } catch (thrown) {
      error = thrown;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
    const interrupted = this.#controller.signal.aborted;
    const msg = this.#end(new UserMessage({ id: this.replyId, name, content: [], ...(interrupted ? { generateReason: 'INTERRUPTED' as const } : {}) }));
    if (interrupted && !signal?.aborted) return msg;
    throw signal?.aborted ? signal.reason : error;
  }

  #words(): Promise<UserInputData> {
    const { signal } = this.#controller;
    signal.throwIfAborted();
    return untilAborted(this.#options.ask(signal), signal);
  }

  #end(msg: Msg): Msg {
    const { replyId } = this;
    const generateReason = msg.generateReason === 'INTERRUPTED' ? { generateReason: msg.generateReason } : {};
    this.#say([...msg.content.flatMap((block, i) => blockEvents(replyId, block, `b1.${i + 1}`)), createEvent('AGENT_RESULT', { replyId, result: msg }), createEvent('AGENT_END', { replyId, sessionId: this.#options.key.sessionId, ...generateReason })]);
    return msg;
  }

  #say(events: readonly AgentEvent[]): void {
    const createdAt = isoTime(Date.now());
    const stamped = events.map((event, i) => ({ ...event, id: `${this.replyId}:1:${this.#events.length + i + 1}`, createdAt }));
    this.#events.push(...stamped);
    this.#options.outlet?.deliver(stamped);
  }
}

/** Text as a text block; media stand in AGENT_RESULT. */
function blockEvents(replyId: string, block: ContentBlock, blockId: string): readonly AgentEvent[] {
  if (block.type !== 'text') return [];
  const where = { replyId, blockId };
  return [createEvent('TEXT_BLOCK_START', where), createEvent('TEXT_BLOCK_DELTA', { ...where, delta: block.text }), createEvent('TEXT_BLOCK_END', where)];
}
