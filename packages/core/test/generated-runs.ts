import fc from 'fast-check';
import type { AgentEvent } from '../src/event/index.ts';
import type { Msg } from '../src/message/index.ts';
import type { Middleware } from '../src/middleware/index.ts';
import type { Session } from '../src/session/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import type { ScriptedModel, ScriptedPart } from '../src/testing/index.ts';
import { defineTool } from '../src/tool/index.ts';
import type { AnyTool } from '../src/tool/index.ts';
import type { AgentInput } from '../src/agent/agent.ts';
import { approve, deny, provide } from '../src/agent/answers.ts';
import type { PendingQuestion } from '../src/agent/questions.ts';
import { ReActAgent } from '../src/agent/react-agent.ts';

/** A run as data: what the model says, which tool does what, and what happens from outside. */
export interface GeneratedRun {
  readonly script: readonly (readonly ScriptedPart[])[];
  readonly maxIters: number;
  /** Interrupts after this many events; undefined: never. */
  readonly interruptAt: number | undefined;
  /** What a person answers to every question; undefined: nobody does. */
  readonly answer: boolean | undefined;
  /** Says something into the reply after this many events of its first call, and takes it back at once or not. */
  readonly steer?: { readonly at: number; readonly revoke: boolean } | undefined;
}

const TOOLS = ['read', 'once', 'keyed', 'stream', 'throws', 'asks', 'asks', 'asks', 'asks', 'denies', 'denies', 'denies', 'external', 'unknown'] as const;
const piece = fc.oneof(fc.constantFrom('a', ' ', 'é', '🟢', '\ud83d', '\udfe2'), fc.string({ maxLength: 4 }));
const pieces = fc.array(piece, { minLength: 1, maxLength: 3 });
const callPart = fc.record({
  tool: fc.constantFrom(...TOOLS),
  id: fc.constantFrom('x', 'y', 'z', '__proto__'),
  arguments: fc.constantFrom('', '{}', '{"n":1}', '{"n":2}', '{"n":', '12'),
});
const part: fc.Arbitrary<ScriptedPart> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ text: pieces }) },
  { weight: 2, arbitrary: fc.record({ thinking: pieces, metadata: fc.constantFrom({ signature: 's' }, {}) }) },
  { weight: 4, arbitrary: callPart },
  { weight: 1, arbitrary: fc.record({ data: fc.constant({ mediaType: 'image/png', base64: 'AAAA' }) }) },
);
const reply = fc
  .tuple(fc.array(part, { maxLength: 4 }), fc.boolean(), fc.nat(9))
  .map(([parts, hasUsage, dice]): readonly ScriptedPart[] => [
    ...parts,
    ...(hasUsage ? [{ usage: { inputTokens: 3, outputTokens: 2, cachedTokens: 1 } }] : []),
    ...(dice === 0 ? [{ error: new Error('scripted failure') }] : []),
  ]);

export const generatedRun: fc.Arbitrary<GeneratedRun> = fc.record({
  script: fc.array(reply, { minLength: 1, maxLength: 4 }),
  maxIters: fc.integer({ min: 1, max: 3 }),
  interruptAt: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 25 }) }),
  answer: fc.constantFrom(undefined, true, false),
  steer: fc.option(fc.record({ at: fc.integer({ min: 1, max: 25 }), revoke: fc.boolean() }), { nil: undefined, freq: 3 }),
});

/** Counts every execution under the tool and the key it ran with. */
export type Ledger = Map<string, number>;

export function ledgerTools(ledger: Ledger): readonly AnyTool[] {
  const input = { type: 'object', properties: { n: { type: 'number' } } } as const;
  const ran = (name: string, key: string): void => void ledger.set(`${name} ${key}`, (ledger.get(`${name} ${key}`) ?? 0) + 1);
  const common = (name: string) => ({ name, description: name, input });
  return [
    defineTool({ ...common('read'), readOnly: true, execute: (_in, ctx) => (ran('read', ctx.idempotencyKey), 'read') }),
    defineTool({ ...common('once'), execute: (_in, ctx) => (ran('once', ctx.idempotencyKey), 'once') }),
    defineTool({ ...common('keyed'), effect: 'keyed', execute: (_in, ctx) => (ran('keyed', ctx.idempotencyKey), 'keyed') }),
    defineTool({
      ...common('stream'),
      readOnly: true,
      async *execute() {
        yield 'one ';
        yield { type: 'data' as const, source: { type: 'base64' as const, mediaType: 'image/png', data: 'AAAA' } };
        yield 'two';
      },
    }),
    defineTool({ ...common('throws'), execute: () => Promise.reject(new Error('thrown')) }),
    defineTool({ ...common('asks'), checkPermission: 'ask', execute: (_in, ctx) => (ran('asks', ctx.idempotencyKey), 'asked') }),
    defineTool({ ...common('denies'), checkPermission: 'deny', execute: (_in, ctx) => (ran('denies', ctx.idempotencyKey), 'never') }),
    defineTool({ ...common('external'), external: true }),
  ];
}

export interface Played {
  /** The events of each call of the reply, one list a call. */
  readonly streams: readonly (readonly AgentEvent[])[];
  readonly message: Msg;
  readonly error: unknown;
  readonly model: ScriptedModel;
  readonly agent: ReActAgent;
  /** What was said into it, and whether it was taken back. */
  readonly steer: { readonly id: string; readonly revoked: boolean } | undefined;
}

/** Plays a run to its end, or to the pause nobody answers. */
export async function play(run: GeneratedRun, { session, ledger = new Map(), middleware }: { session?: Session; ledger?: Ledger; middleware?: readonly Middleware[] } = {}): Promise<Played> {
  const model = scriptedModel(...run.script, ...Array.from({ length: 12 }, () => ({ text: 'enough' })));
  const agent = new ReActAgent({ name: 'F', model, toolkit: ledgerTools(ledger), maxIters: run.maxIters, session, middleware });
  const streams: AgentEvent[][] = [];
  let error: unknown;
  let steering: Promise<Played['steer']> | undefined;
  const read = async (input: AgentInput): Promise<void> => {
    const events: AgentEvent[] = [];
    streams.push(events);
    try {
      for await (const event of agent.streamEvents(input)) {
        events.push(event);
        if (events.length === run.interruptAt) void agent.interrupt();
        if (streams.length === 1 && events.length === run.steer?.at) steering = steer(agent, run.steer.revoke);
      }
    } catch (thrown) {
      error = thrown;
    }
  };
  await read('go');
  for (let rounds = 0; run.answer !== undefined && rounds < 5; rounds++) {
    const [question] = await agent.session().pending();
    if (!question) break;
    await read(answerTo(question, run.answer));
  }
  const steered = await steering;
  await whenIdle(agent);
  const message = (await agent.session().messages()).find(({ id }) => id === streams[0]?.[0]?.replyId);
  if (!message) throw new Error('The run left no message.');
  return { streams, message, error, model, agent, steer: steered };
}

async function steer(agent: ReActAgent, revoke: boolean): Promise<NonNullable<Played['steer']>> {
  const receipt = await agent.session().steer('by the way');
  return { id: receipt.id, revoked: revoke && (await receipt.revoke()) };
}

/** What was said too late for a reply may have started the next one. */
async function whenIdle(agent: ReActAgent): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (await agent.session().openReply().then((open) => open?.waiting === false));
}

function answerTo(question: PendingQuestion, yes: boolean): AgentInput {
  if (question.kind === 'external') return provide(question, 'outside');
  return yes ? approve(question) : deny(question, 'rather not');
}

/** How a run ended, for the coverage of the generator. */
export function endingOf({ message, error }: Played): string {
  if (error !== undefined) return 'error';
  const denied = message.getToolCalls().some(({ result }) => result?.state === 'denied');
  switch (message.generateReason) {
    case 'INTERRUPTED':
      return 'abort';
    case 'MAX_ITERATIONS':
      return 'limit';
    case 'PERMISSION_ASKING':
    case 'TOOL_SUSPENDED':
      return 'pause';
    default:
      return denied ? 'denial' : 'success';
  }
}
