// What the types of the built package must infer and must refuse. Checked by `tsc`, never run.
import { AgentScopeError, approve, defineTool, deny, isToolCall, provide, ReActAgent, SystemMessage, Toolkit, toolResult, UserMessage } from '@agentscope/core';
import type {
  Agent, AgentEvent, AgentSession, ConfirmQuestion, CustomEvent, EventOf, ExternalQuestion, Infer, InferInput, JsonSchema, Msg, ToolInput, ToolOutput, ToolUseBlock,
} from '@agentscope/core';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function is<_T extends true>(): void {}

// Schemas and tools
const S = z.object({ a: z.string(), n: z.coerce.number().default(3) });
is<Equal<Infer<typeof S>, { a: string; n: number }>>();
is<Equal<InferInput<typeof S>['a'], string>>();

const t = defineTool({
  name: 'x',
  description: '',
  input: S,
  checkPermission: (input) => (input.n > 3 ? 'ask' : { behavior: 'allow' }),
  execute: (input, ctx) => {
    is<Equal<typeof input, { a: string; n: number }>>();
    is<Equal<typeof ctx.signal, AbortSignal>>();
    return { ok: true };
  },
  reconcile: (input) => input.a,
});
is<Equal<typeof t.name, 'x'>>();
is<Equal<Awaited<ReturnType<typeof t.run>>, { ok: boolean }>>();

const j = defineTool({
  name: 'j',
  description: '',
  input: {
    type: 'object',
    properties: { q: { type: 'string' }, k: { type: 'array', items: { type: 'integer' } }, e: { enum: ['a', 'b'] }, o: { type: 'object', properties: { d: { type: 'boolean' } }, required: ['d'] } },
    required: ['q', 'o'],
  },
  async execute(input) {
    is<Equal<typeof input, { q: string; o: { d: boolean }; k?: number[]; e?: 'a' | 'b' }>>();
    return 1;
  },
});
is<Equal<ToolInput<typeof j>['q'], string>>();
is<Equal<Awaited<ReturnType<typeof j.run>>, number>>();

const none = defineTool({ name: 'now', description: '', execute: () => new Date().toISOString() });
is<Equal<ToolInput<typeof none>, {}>>();

const gen = defineTool({
  name: 'g',
  description: '',
  input: z.object({}),
  async *execute(_input, ctx) {
    ctx.emit('x');
    ctx.emit({ type: 'CUSTOM', name: 'acme.progress', value: { done: 1 } });
    yield 'a';
    return toolResult('b');
  },
});
is<Equal<Awaited<ReturnType<typeof gen.run>>, ToolOutput>>();

const ext = defineTool({ name: 'ext', description: '', input: z.object({ id: z.string() }), external: true });
is<Equal<ToolInput<typeof ext>, { id: string }>>();

const loose: { type: string } = { type: 'object' };
const dyn = defineTool({
  name: 'dyn',
  description: '',
  input: loose as JsonSchema,
  execute: (input) => {
    is<Equal<typeof input, unknown>>();
    return '';
  },
});

new Toolkit([t, j, none, gen, ext, dyn]);
new Toolkit({ tools: [t], groups: [{ name: 'g', description: '', tools: [j] }] });
// @ts-expect-error execute is missing
defineTool({ name: 'bad', description: '', input: z.object({}) });
// @ts-expect-error an external tool has no execute
defineTool({ name: 'bad', description: '', external: true, execute: () => 1 });
// @ts-expect-error a schema without JSON form
defineTool({ name: 'bad', description: '', input: { '~standard': { version: 1 as const, vendor: 'v', validate: (v: unknown) => ({ value: v }) } }, execute: () => 1 });
// @ts-expect-error no such effect
defineTool({ name: 'bad', description: '', effect: 'never', execute: () => 1 });
// @ts-expect-error a misspelt option
defineTool({ name: 'bad', description: '', timeout: 3, execute: () => 1 });
// @ts-expect-error an array is no tool
new Toolkit([[t]]);
// A service object without tools does compile (object); it throws when it runs.
new Toolkit().registerTool({ notATool: 1 });

declare const call: ToolUseBlock;
if (isToolCall<typeof t>(call, 'x')) is<Equal<typeof call.input.a, string>>();
// @ts-expect-error the name is the tool's
isToolCall<typeof t>(call, 'y');

// Agents
// @ts-expect-error wrong option
new ReActAgent({ name: 'a', model: 'x:y', tools: [] });
const agent = new ReActAgent({ name: 'a', model: 'openai:x' });
const reply = await agent.call('x');
is<Equal<ReturnType<typeof reply.getStructuredData>, unknown>>();
is<Equal<typeof reply, Msg<unknown>>>();
const checked = reply.getStructuredData(S);
is<Equal<typeof checked, { a: string; n: number }>>();
const stream = agent.streamEvents('x');
is<Equal<Awaited<typeof stream.result>, Msg>>();
const data = (await agent.call('x', { schema: S, sessionId: 's' })).getStructuredData();
is<Equal<typeof data, { a: string; n: number }>>();
const literal = (await agent.session().call('x', { schema: { type: 'object', properties: { z: { type: 'number' } }, required: ['z'] } })).getStructuredData();
is<Equal<typeof literal, { z: number }>>();
const listed = (await agent.call('x', { schema: z.array(z.object({ at: z.iso.date().transform((text) => new Date(text)) })) })).getStructuredData();
is<Equal<typeof listed, { at: Date }[]>>();
const structured = agent.streamEvents('x', { schema: S, detach: true });
is<Equal<Awaited<typeof structured.result>, Msg<{ a: string; n: number }>>>();
const inSession = agent.session().streamEvents('x', { schema: S });
is<Equal<Awaited<typeof inSession.result>, Msg<{ a: string; n: number }>>>();
const ofValibot = (await agent.call('x', { schema: toStandardJsonSchema(v.object({ at: v.optional(v.string(), 'now') })) })).getStructuredData();
is<Equal<typeof ofValibot, { at: string }>>();
const ofArkType = (await agent.call('x', { schema: type({ n: 'number', 'level?': "'a' | 'b'" }) })).getStructuredData();
is<Equal<typeof ofArkType, { n: number; level?: 'a' | 'b' }>>();
declare const maybe: JsonSchema | undefined;
const unknownData = (await agent.call('x', { schema: maybe })).getStructuredData();
is<Equal<typeof unknownData, unknown>>();
// @ts-expect-error a schema that cannot say itself as JSON Schema
await agent.call('x', { schema: v.object({ at: v.string() }) });
// @ts-expect-error data of a call without a schema are unknown
void (await agent.call('x')).getStructuredData().n;
// @ts-expect-error no such way
new ReActAgent({ name: 'a', model: 'x:y', structuredOutput: 'json' });
const options: { signal?: AbortSignal | undefined } = {};
await agent.call('x', options);
await agent.call();
await agent.call([reply, reply]);
await agent.call(['text', { type: 'data', source: { type: 'url', url: '' } }]);
// @ts-expect-error a number is no input
await agent.call(3);
// @ts-expect-error not a block
await agent.call([{ type: 'txt', text: '' }]);
// @ts-expect-error a stream is no promise
agent.streamEvents('x').then(() => undefined);

const session: AgentSession = agent.session({ userId: 'u', sessionId: 's' });
const asAgents: readonly Agent[] = [
  agent,
  session,
  {
    id: '1',
    name: 'mine',
    call: async () => new UserMessage('x'),
    streamEvents: agent.streamEvents,
    observe: async () => undefined,
    interrupt: async () => ({ replyId: null }),
  },
];
void asAgents;

// Questions and answers
const [confirm] = await session.pending('confirm');
is<Equal<typeof confirm, ConfirmQuestion | undefined>>();
const [outside] = await session.pending('external');
is<Equal<typeof outside, ExternalQuestion | undefined>>();
if (confirm && outside) {
  await agent.call(approve(confirm));
  await agent.call([approve(confirm), deny(confirm, 'no'), provide(outside, { any: 'value' })]);
  // @ts-expect-error work from outside is provided, not approved
  approve(outside);
}
await agent.call((await session.pending('confirm')).map((question) => approve(question)), { sessionId: 's' });

// Events and messages
function exhaustive(event: AgentEvent): string {
  switch (event.type) {
    case 'TEXT_BLOCK_DELTA':
      return event.delta;
    case 'CUSTOM':
      return event.name;
    default:
      return event.id;
  }
}
exhaustive({} as EventOf<'AGENT_END'>);
declare const custom: CustomEvent;
is<Equal<typeof custom.name, string>>();
const calls = reply.getContentBlocks('tool_use');
is<Equal<(typeof calls)[number], ToolUseBlock>>();
// @ts-expect-error media in a system message
new SystemMessage([{ type: 'data', source: { type: 'url', url: '' } }]);
// @ts-expect-error a role has its class
new UserMessage({ role: 'SYSTEM', content: 'x' });

// Errors
const error: unknown = 0;
if (AgentScopeError.is(error, 'session/conflict')) is<Equal<typeof error.details.expectedSeq, number>>();
if (AgentScopeError.is(error)) is<Equal<typeof error.code extends string ? true : false, true>>();
// @ts-expect-error no such code
AgentScopeError.is(error, 'session/oops');
