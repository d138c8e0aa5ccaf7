// What the guide on messages and events promises, taken from its text.
import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { approve, provide, ReActAgent } from '../src/agent/index.ts';
import type { AgentInput } from '../src/agent/index.ts';
import type { AgentEvent } from '../src/event/index.ts';
import type { JsonSchema } from '../src/internal/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import type { ScriptedReply } from '../src/testing/index.ts';
import { defineTool } from '../src/tool/index.ts';

const guide = readFileSync(new URL('../../../docs/guides/messages-and-events.md', import.meta.url), 'utf8');

test('S0-078 the guide’s ten lines give the text that getTextContent() gives', async () => {
  const [, code = ''] = /^\/\/ ten lines\n([\s\S]*?)^\/\/ that was all$/m.exec(guide) ?? [];
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(10);
  const { code: plain } = transformSync(`${code}\nexport { textOf };`, { loader: 'ts' });
  const { textOf } = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(plain)}`)) as { textOf(events: AsyncIterable<AgentEvent>): Promise<string> };
  const pieces = fc.array(fc.constantFrom('a', ' ', '\n', '🟢', '\ud83d', '\udfe2'), { minLength: 1, maxLength: 3 });
  const part = fc.oneof(fc.record({ text: pieces }), fc.record({ thinking: pieces }), fc.record({ tool: fc.constant('none'), input: fc.constant({}) }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(part, { minLength: 1, maxLength: 4 }), { maxLength: 3 }), async (script) => {
      const agent = new ReActAgent({ name: 'F', model: scriptedModel(...script, ...Array.from({ length: 9 }, () => 'end')) });
      const stream = agent.streamEvents('go');
      const text = await textOf(stream);
      expect(text).toBe((await stream.result).getTextContent());
    }),
    { numRuns: 50 },
  );
});

test('every event type stands in the guide’s table, and no other', () => {
  const [, table = ''] = /^## The events$([\s\S]*?)^## /m.exec(guide) ?? [];
  const named = table.split('\n').filter((line) => line.startsWith('| `')).flatMap((line) => {
    const words = [...(line.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, word = '']) => word);
    return words.map((word) => (word.startsWith('_') ? (words[0] ?? '').replace(/_START$/, word) : word));
  });
  expect([...named].sort()).toEqual([...TYPES].sort());
});

test('the order the guide gives for each ending is the order of a run that ends so', async () => {
  const [, table = ''] = /^## The order, for each ending$([\s\S]*?)^## /m.exec(guide) ?? [];
  const told = new Map(table.split('\n').filter((line) => line.startsWith('| ') && line.includes('`AGENT_END`')).map((line) => {
    const [, ending = '', order = ''] = line.split('|').map((cell) => cell.trim());
    return [ending, [...order.matchAll(/`([A-Z_]+)`|…/g)].map(([all, word]) => word ?? all)] as const;
  }));
  const runs = await playEndings();
  expect([...told.keys()].sort()).toEqual([...runs.keys()].sort());
  for (const [ending, types] of runs) expect(matches(told.get(ending) ?? [], types), `${ending}: ${types.join(' ')}`).toBe(true);
});

const TYPES: readonly AgentEvent['type'][] = [
  'AGENT_START', 'AGENT_END', 'AGENT_RESULT', 'MODEL_CALL_START', 'MODEL_CALL_END', 'TEXT_BLOCK_START', 'TEXT_BLOCK_DELTA', 'TEXT_BLOCK_END',
  'THINKING_BLOCK_START', 'THINKING_BLOCK_DELTA', 'THINKING_BLOCK_END', 'DATA_BLOCK_START', 'DATA_BLOCK_DELTA', 'DATA_BLOCK_END', 'TOOL_CALL_START',
  'TOOL_CALL_DELTA', 'TOOL_CALL_END', 'TOOL_RESULT_START', 'TOOL_RESULT_TEXT_DELTA', 'TOOL_RESULT_DATA_DELTA', 'TOOL_RESULT_END', 'EXCEED_MAX_ITERS',
  'REQUIRE_USER_CONFIRM', 'REQUIRE_EXTERNAL_EXECUTION', 'USER_CONFIRM_RESULT', 'EXTERNAL_EXECUTION_RESULT', 'REQUEST_STOP', 'ALL_TOOLS_DENIED',
  'HINT_BLOCK', 'SUBAGENT_EXPOSED', 'CUSTOM', 'USER_INTERRUPT',
];

async function playEndings(): Promise<Map<string, string[]>> {
  const input = { type: 'object' } as const;
  const toolkit = [
    defineTool({ name: 'ask', description: 'asks', input, checkPermission: 'ask', execute: () => 'ok' }),
    defineTool({ name: 'noop', description: 'does nothing', input, readOnly: true, execute: () => 'ok' }),
    defineTool({ name: 'out', description: 'runs elsewhere', input, external: true }),
    defineTool({ name: 'stop', description: 'stops', input, execute: (_input, ctx) => (ctx.requestStop('enough'), 'ok') }),
  ];
  const make = (...script: readonly ScriptedReply[]): ReActAgent => new ReActAgent({ name: 'F', model: scriptedModel(...script), toolkit, maxIters: 2 });
  const runs = new Map<string, string[]>();
  const play = async (ending: string, agent: ReActAgent, given: AgentInput = 'go', { interrupt = false, schema }: { interrupt?: boolean; schema?: JsonSchema } = {}): Promise<void> => {
    const types: string[] = [];
    runs.set(ending, types);
    try {
      for await (const { type } of agent.streamEvents(given, { schema })) {
        types.push(type);
        if (interrupt && type === 'TEXT_BLOCK_DELTA') void agent.interrupt();
      }
    } catch {
      return; // the ending with an error
    }
  };
  await play('an answer', make([{ thinking: 'hm' }, { text: 'x' }]));
  await play('a tool round, then the answer', make({ tool: 'noop', input: {} }, 'x'));
  await play('an answer as data, by the tool', make({ tool: 'generate_response', input: { n: 1 } }), 'go', { schema: { type: 'object' } });
  const asking = make({ tool: 'ask', input: {} }, 'x');
  await play('a person is asked', asking);
  await play('answered', asking, (await asking.session().pending('confirm')).map((question) => approve(question)));
  const outside = make({ tool: 'out', input: {} }, 'x');
  await play('work outside', outside);
  await play('its result came', outside, (await outside.session().pending('external')).map((question) => provide(question, 'r')));
  await play('the limit of model calls', make({ tool: 'noop', input: {} }, { tool: 'noop', input: {} }, 'sum'));
  await play('an interrupt', make([{ text: ['a', 'b'] }, { hang: true }]), 'go', { interrupt: true });
  await play('a tool asked for a stop', make({ tool: 'stop', input: {} }));
  await play('an error', make([{ text: 'a' }, { error: new Error('broken') }]));
  return runs;
}

/** `…` stands for any number of events. */
function matches(order: readonly string[], types: readonly string[]): boolean {
  const pattern = order.map((word) => (word === '…' ? '(?:[A-Z_]+ )*' : `${word} `)).join('');
  return new RegExp(`^${pattern}$`).test(`${types.join(' ')} `);
}
