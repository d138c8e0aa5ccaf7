// A conversation between a model, tools, a person and a process that may die: what happens is generated, what happened is on lists.
import fc from 'fast-check';
import { approve, deny, provide, ReActAgent } from '../src/agent/index.ts';
import type { AgentInput, AgentSession, PendingQuestion } from '../src/agent/index.ts';
import { AgentScopeError } from '../src/error/index.ts';
import type { AgentEvent } from '../src/event/index.ts';
import { UserMessage } from '../src/message/index.ts';
import { InMemorySession } from '../src/session/index.ts';
import type { Lease, Session } from '../src/session/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import type { ScriptedModel, ScriptedPart } from '../src/testing/index.ts';
import { defineTool } from '../src/tool/index.ts';
import type { AnyTool, ToolContext } from '../src/tool/index.ts';

/** What a person or a program does next. */
export type Act =
  | { readonly do: 'say' }
  | { readonly do: 'go on' }
  | { readonly do: 'answer'; readonly pick: number; readonly how: 'yes' | 'no' | 'edit' | 'bad edit' | 'forbidden edit' | 'remember' | 'twice' | 'forged' }
  | { readonly do: 'answer all'; readonly yes: boolean }
  | { readonly do: 'steer' }
  | { readonly do: 'mode'; readonly mode: 'default' | 'explore' | 'bypass' | 'dont_ask' }
  | { readonly do: 'rule'; readonly behavior: 'allow' | 'ask' | 'deny' }
  | { readonly do: 'restart' };
/** What comes in between, after so many events of the call (appends, for a crash). */
export interface Disturbance {
  readonly kind: 'interrupt' | 'signal' | 'leave' | 'crash' | 'steer' | 'say';
  readonly at: number;
}
export interface Story {
  readonly script: readonly (readonly ScriptedPart[])[];
  readonly maxIters: number;
  readonly policy: boolean;
  readonly acts: readonly { readonly act: Act; readonly disturbed: Disturbance | undefined }[];
}

const callPart = fc.record({
  tool: fc.constantFrom('read', 'once', 'keyed', 'throws', 'slow', 'asks', 'asks', 'asks', 'asks', 'denies', 'denies', 'denies', 'outside', 'unknown'),
  id: fc.constantFrom('x', 'y', 'z', '__proto__'),
  arguments: fc.constantFrom('', '{"n":1}', '{"n":2}', '{"n":'),
});
const reply = fc
  .tuple(fc.array(fc.oneof({ weight: 2, arbitrary: fc.record({ text: fc.constantFrom('a', 'é🟢', ' ') }) }, { weight: 1, arbitrary: fc.record({ thinking: fc.constant('hm') }) }, { weight: 5, arbitrary: callPart }), { maxLength: 3 }), fc.nat(11))
  .map(([parts, dice]): readonly ScriptedPart[] => [...parts, ...(dice === 0 ? [{ error: new Error('scripted failure') }] : [])]);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ do: 'say' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'go on' as const }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('answer' as const), pick: fc.nat(3), how: fc.constantFrom('yes' as const, 'no' as const, 'edit' as const, 'bad edit' as const, 'forbidden edit' as const, 'remember' as const, 'twice' as const, 'forged' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('answer all' as const), yes: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ do: 'steer' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('mode' as const), mode: fc.constantFrom('default' as const, 'explore' as const, 'bypass' as const, 'dont_ask' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rule' as const), behavior: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
);
const disturbance = fc.record({ kind: fc.constantFrom('interrupt' as const, 'signal' as const, 'leave' as const, 'crash' as const, 'crash' as const, 'steer' as const, 'say' as const), at: fc.integer({ min: 1, max: 14 }) });
export const story: fc.Arbitrary<Story> = fc.record({
  script: fc.array(reply, { minLength: 1, maxLength: 6 }),
  maxIters: fc.constantFrom(1, 2, 6, 6, 6),
  policy: fc.boolean(),
  acts: fc
    .array(fc.record({ act, disturbed: fc.option(disturbance, { nil: undefined, freq: 3 }) }), { minLength: 1, maxLength: 8 })
    .map((acts) => [{ act: { do: 'say' as const }, disturbed: undefined as Disturbance | undefined }, ...acts]),
});

/** A run of a tool. */
export interface Ran {
  readonly tool: string;
  readonly key: string;
  readonly callId: string;
}

/** What outlives a process, and what happened. */
export class World {
  readonly disk: InMemorySession = new InMemorySession();
  readonly ran: Ran[] = [];
  /** Ids of messages a call or `steer` said were taken. */
  readonly accepted: string[] = [];
  readonly streams: (readonly AgentEvent[])[] = [];
  readonly endings: string[] = [];
  readonly faults: string[] = [];
  readonly #story: Story;
  #process: Process;
  #modelCalls = 0;
  #said = 0;

  constructor(story: Story) {
    this.#story = story;
    this.#process = this.#start();
  }

  get session(): AgentSession {
    return this.#process.agent.session({ sessionId: 'main' });
  }
  get agent(): ReActAgent {
    return this.#process.agent;
  }

  async play(): Promise<void> {
    for (const { act, disturbed } of this.#story.acts) await this.#act(act, disturbed);
    await this.#restart();
    await this.#end();
  }

  /** Whatever is open comes to its end, without anybody saying yes. */
  async #end(): Promise<void> {
    for (let i = 0; i < 40; i++) {
      const open = await this.session.openReply();
      if (!open) return;
      const [question] = await this.session.pending();
      await this.#call(question === undefined ? undefined : question.kind === 'confirm' ? deny(question) : provide(question, 'late'));
    }
    this.faults.push('the open reply has no end');
  }

  async #act(act: Act, disturbed: Disturbance | undefined): Promise<void> {
    switch (act.do) {
      case 'restart':
        return this.#restart();
      case 'steer':
        return void this.accepted.push((await this.session.steer(`steer ${++this.#said}`)).id);
      case 'mode':
        return this.session.setPermissionMode(act.mode);
      case 'rule':
        return void (await this.session.addPermissionRule({ toolName: 'asks', behavior: act.behavior }));
      case 'say':
        return this.#call(new UserMessage(`say ${++this.#said}`), disturbed);
      case 'go on':
        return this.#call(undefined, disturbed);
      case 'answer all': {
        const all = await this.session.pending();
        if (all.length > 0) await this.#call(all.map((question) => answer(question, act.yes)), disturbed);
        return;
      }
      case 'answer':
        return this.#answer(act, disturbed);
    }
  }

  async #answer({ pick, how }: Extract<Act, { do: 'answer' }>, disturbed: Disturbance | undefined): Promise<void> {
    const open = await this.session.pending();
    const question = open[pick % Math.max(1, open.length)];
    if (question === undefined) return;
    if (how === 'twice' || how === 'forged') return this.#wrong(question, how);
    if (question.kind === 'external') return this.#call(provide(question, 'outside'), disturbed);
    const input = { edit: { n: 3 }, 'bad edit': { n: 'x' }, 'forbidden edit': { n: 666 } }[how as string];
    if (how === 'no') return this.#call(deny(question, 'rather not'), disturbed);
    return this.#call(approve(question, how === 'remember' ? { remember: 'session' } : input === undefined ? {} : { input: input as never }), disturbed);
  }

  /** Refused, and nothing changes by it. */
  async #wrong(question: PendingQuestion, how: 'twice' | 'forged'): Promise<void> {
    const ran = this.ran.length;
    const before = JSON.stringify(await this.session.messages());
    const right = answer(question, true);
    const forged = answer({ ...question, id: 'forged', toolCall: { ...question.toolCall, id: 'forged' } }, true);
    const code = await this.session.call(how === 'twice' ? ([right, right] as never) : forged).then(() => 'taken', (error: { code?: string }) => error.code);
    if (code !== 'agent/no-such-question') this.faults.push(`a ${how} answer: ${code}`);
    if (this.ran.length !== ran || JSON.stringify(await this.session.messages()) !== before) this.faults.push(`a ${how} answer had an effect`);
  }

  /** One call, its reading disturbed. A crash leaves a process behind that never comes back. */
  async #call(input: AgentInput, disturbed?: Disturbance): Promise<void> {
    const process = this.#process;
    if (disturbed?.kind === 'crash') process.dieAfter(1 + (disturbed.at % 6));
    const aborting = new AbortController();
    const stream = this.session.streamEvents(input, { signal: aborting.signal });
    void stream.accepted.then(() => input instanceof UserMessage && this.accepted.push(input.id), () => undefined);
    const events: AgentEvent[] = [];
    const reading = (async () => {
      for await (const event of stream) {
        events.push(event);
        if (events.length !== disturbed?.at) continue;
        if (disturbed.kind === 'interrupt') void this.session.interrupt();
        if (disturbed.kind === 'signal') aborting.abort(new DOMException('late', 'TimeoutError'));
        if (disturbed.kind === 'steer') void this.session.steer(`steer ${++this.#said}`).then(({ id }) => this.accepted.push(id));
        if (disturbed.kind === 'say') void this.session.call(new UserMessage(`say ${++this.#said}`)).catch(() => undefined);
        if (disturbed.kind === 'leave') return;
      }
    })();
    const outcome = await Promise.race([reading.then(() => stream.result).then((msg) => ({ msg }), (error: unknown) => ({ error })), process.died.then(() => 'died' as const)]);
    if (outcome === 'died') {
      this.endings.push('crash');
      return this.#restart();
    }
    process.dieAfter(Infinity);
    if (disturbed?.kind !== 'leave') this.streams.push(events);
    await this.#idle();
    if (process.model.running > 0 || process.tools.size > 0) this.faults.push('something still runs after the end');
    this.#note(outcome, disturbed);
  }

  #note(outcome: { msg: Awaited<ReturnType<AgentSession['call']>> } | { error: unknown }, disturbed: Disturbance | undefined): void {
    if ('msg' in outcome) {
      const reason = outcome.msg.generateReason ?? 'MODEL_STOP';
      const denied = outcome.msg.getToolCalls().some(({ result }) => result?.state === 'denied');
      const words: Readonly<Record<string, string>> = { INTERRUPTED: 'abort', PERMISSION_ASKING: 'pause', TOOL_SUSPENDED: 'pause', MAX_ITERATIONS: 'limit', MIDDLEWARE_STOP_REQUESTED: 'limit', MODEL_STOP: denied ? 'denial' : 'success' };
      this.endings.push(words[reason] ?? reason);
      return;
    }
    const { error } = outcome;
    if (error instanceof DOMException && disturbed?.kind === 'signal') this.endings.push('abort');
    else if (AgentScopeError.is(error) && EXPECTED.has(error.code)) this.endings.push('error');
    else this.faults.push(`unexpected: ${String(error)}`);
  }

  /** What was said too late for a reply may have started the next one. */
  async #idle(): Promise<void> {
    const { model, tools } = this.#process;
    for (let i = 0; i < 200; i++) {
      await new Promise((resolve) => (i < 50 ? setImmediate(resolve) : setTimeout(resolve, 1)));
      const open = await this.session.openReply();
      if (i > 0 && open?.waiting !== false && model.running === 0 && tools.size === 0) return;
    }
  }

  async #restart(): Promise<void> {
    await this.#process.bury();
    this.#process = this.#start();
  }

  #start(): Process {
    const replies = Array.from({ length: 80 }, () => () => this.#story.script[this.#modelCalls++] ?? [{ text: 'enough' }]);
    return new Process(this.#story, { disk: this.disk, model: scriptedModel(...replies), ran: (run) => this.ran.push(run) });
  }
}

const EXPECTED: ReadonlySet<string> = new Set(['agent/waiting', 'model/failed', 'model/empty-answer', 'message/invalid']);

function answer(question: PendingQuestion, yes: boolean): ReturnType<typeof approve> | ReturnType<typeof provide> {
  if (question.kind === 'external') return provide(question, 'outside');
  return yes ? approve(question) : deny(question, 'rather not');
}

/** One process: an agent made anew, and its own view of the disk, which ends with it. */
class Process {
  readonly agent: ReActAgent;
  readonly model: ScriptedModel;
  /** Runs that have not ended. */
  readonly tools: Set<string> = new Set();
  readonly died: Promise<void>;
  #die: () => void = () => undefined;
  #isDead = false;
  #appendsLeft = Infinity;
  #lease: Lease | undefined;

  constructor({ maxIters, policy }: Story, { disk, model, ran }: { readonly disk: InMemorySession; readonly model: ScriptedModel; ran(run: Ran): void }) {
    this.died = new Promise((resolve) => (this.#die = resolve));
    this.model = model;
    const permission = policy ? { permission: { allow: ['once', 'keyed', 'throws', 'slow', 'outside'], deny: ['asks(666)'] } } : { permission: undefined };
    this.agent = new ReActAgent({ name: 'F', model, toolkit: toolsOf(ran, this.tools), maxIters, session: this.#view(disk), ...permission });
  }

  dieAfter(appends: number): void {
    this.#appendsLeft = appends;
  }

  async bury(): Promise<void> {
    this.#isDead = true;
    await this.#lease?.release().catch(() => undefined);
  }

  #view(disk: InMemorySession): Session {
    const changes: Partial<Session> = {
      lease: async (key, options) => (this.#lease = await disk.lease(key, options)),
      append: async (key, entries, options) => {
        if (this.#isDead) return new Promise(() => undefined);
        const last = --this.#appendsLeft <= 0;
        if (!last || this.#appendsLeft % 2 === 0) await disk.append(key, entries, options);
        if (!last) return undefined;
        this.#isDead = true;
        this.#die();
        return new Promise(() => undefined);
      },
    };
    return new Proxy<Session>(disk, {
      get(target, name) {
        const value: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}

function toolsOf(ran: (run: Ran) => void, running: Set<string>): readonly AnyTool[] {
  const input = { type: 'object', properties: { n: { type: 'number' } } } as const;
  const note = (tool: string, { idempotencyKey, toolCallId }: ToolContext): string => {
    ran({ tool, key: idempotencyKey, callId: toolCallId });
    return tool;
  };
  const hang = (tool: string, context: ToolContext): Promise<string> => {
    note(tool, context);
    running.add(context.idempotencyKey);
    return new Promise((resolve) =>
      context.signal.addEventListener('abort', () => {
        running.delete(context.idempotencyKey);
        resolve('cut');
      }),
    );
  };
  const common = (name: string) => ({ name, description: name, input });
  return [
    defineTool({ ...common('read'), readOnly: true, execute: (_in, context) => note('read', context) }),
    defineTool({ ...common('once'), execute: (_in, context) => note('once', context) }),
    defineTool({ ...common('keyed'), effect: 'keyed', execute: (_in, context) => note('keyed', context) }),
    defineTool({ ...common('throws'), execute: () => Promise.reject(new Error('thrown')) }),
    defineTool({ ...common('slow'), timeoutMs: 1, execute: (_in, context) => hang('slow', context) }),
    defineTool({ ...common('asks'), checkPermission: 'ask', execute: (_in, context) => note('asks', context) }),
    defineTool({ ...common('denies'), checkPermission: 'deny', execute: (_in, context) => note('denies', context) }),
    defineTool({ ...common('outside'), external: true }),
  ];
}
