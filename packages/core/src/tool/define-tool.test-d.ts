// What the types of tools must infer and must refuse. Checked by `tsc -p packages/core/tsconfig.test-d.json`, never run.
import { z } from 'zod';
import type { Infer, InferInput, JsonSchema } from '../internal/index.ts';
import type { ToolUseBlock } from '../message/index.ts';
import { defineTool, isToolCall, Toolkit, toolResult } from './index.ts';
import type { ToolInput, ToolOutput } from './index.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function is<_T extends true>(): void {}

const S = z.object({ a: z.string(), n: z.coerce.number().default(3) });
is<Equal<Infer<typeof S>, { a: string; n: number }>>();
is<Equal<InferInput<typeof S>['a'], string>>();

const typed = defineTool({
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
is<Equal<typeof typed.name, 'x'>>();
is<Equal<Awaited<ReturnType<typeof typed.run>>, { ok: boolean }>>();

const json = defineTool({
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
is<Equal<ToolInput<typeof json>['q'], string>>();
is<Equal<Awaited<ReturnType<typeof json.run>>, number>>();

const none = defineTool({ name: 'now', description: '', execute: () => new Date().toISOString() });
is<Equal<ToolInput<typeof none>, {}>>();

const generator = defineTool({
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
is<Equal<Awaited<ReturnType<typeof generator.run>>, ToolOutput>>();

const external = defineTool({ name: 'ext', description: '', input: z.object({ id: z.string() }), external: true });
is<Equal<ToolInput<typeof external>, { id: string }>>();

const loose: { type: string } = { type: 'object' };
const dynamic = defineTool({
  name: 'dyn',
  description: '',
  input: loose as JsonSchema,
  execute: (input) => {
    is<Equal<typeof input, unknown>>();
    return '';
  },
});

new Toolkit([typed, json, none, generator, external, dynamic]);
new Toolkit({ tools: [typed], groups: [{ name: 'g', description: '', tools: [json] }] });
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
new Toolkit([[typed]]);

declare const call: ToolUseBlock;
if (isToolCall<typeof typed>(call, 'x')) is<Equal<typeof call.input.a, string>>();
// @ts-expect-error the name is the tool's
isToolCall<typeof typed>(call, 'y');

// A service object without tools does compile (object); it throws when it runs.
new Toolkit().registerTool({ notATool: 1 });
