import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMsg } from '../../message/index.ts';
import type { ContentBlock, ToolUseBlock } from '../../message/index.ts';
import { createFold, parseEvent, toJava2 } from '../index.ts';
import type { AgentEvent, Fold } from '../index.ts';

const NAMES = ['__proto__', 'constructor', 'b1', 'b2', 'text', ''];
const TOOLS = ['c1', 'c2', '__proto__', 'toString'];
const REPLIES = ['r1', 'r2', 'm-1', ''];
const PIECES = ['ab', '', '\ud83d', '\udfe2', '{"a":', '1}', '{"__proto__":{"admin":true}}', ' ', '\n'];

const blockId = fc.constantFrom(...NAMES);
const toolCallId = fc.constantFrom(...TOOLS);
const toolCallName = fc.constantFrom('add', '__fragment__', '');
const delta = fc.constantFrom(...PIECES);
const state = fc.constantFrom('success', 'error', 'running', 'denied', 'interrupted');
const reason = fc.constantFrom('INTERRUPTED', 'PERMISSION_ASKING', 'MODEL_STOP', 'TOOL_SUSPENDED', undefined);
const input = fc.constantFrom({}, { a: 1 }, { b: [null] });
const toolUse = fc.record({ type: fc.constant('tool_use'), id: toolCallId, name: fc.constant('add'), input, content: fc.constantFrom(null, '{"a":1}', 'x'), state: fc.constantFrom('asking', 'pending'), metadata: fc.constantFrom({}, { sig: 's' }) }) as fc.Arbitrary<ToolUseBlock>;
const output = fc.constantFrom<ContentBlock[]>([], [{ type: 'text', text: '[ERROR] x' }], [{ type: 'data', source: { type: 'url', url: 'u' } }]);
const toolResult = fc.record({ type: fc.constant('tool_result'), id: toolCallId, name: fc.constant('add'), output, state, metadata: fc.constantFrom({}, { agentscope_suspended: true }) });
const data = fc.constantFrom({ type: 'data', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' }, id: 'd' }, { type: 'text', text: 't' });

function streamed(kind: string, more: Record<string, fc.Arbitrary<unknown>> = {}): fc.Arbitrary<object>[] {
  return [
    fc.record({ type: fc.constant(`${kind}_START`), blockId, ...more }),
    fc.record({ type: fc.constant(`${kind}_DELTA`), blockId, delta }),
    fc.record({ type: fc.constant(`${kind}_DELTA`), blockId, delta }),
    fc.record({ type: fc.constant(`${kind}_END`), blockId, metadata: fc.constantFrom(undefined, { block: { signature: 's' } }) }),
  ];
}

const fields: fc.Arbitrary<object> = fc.oneof(
  fc.record({ type: fc.constant('AGENT_START'), name: fc.constant('atlas'), sessionId: fc.constant('s'), role: fc.constant('assistant'), metadata: fc.constantFrom(undefined, { inputIds: ['u1'] }) }),
  fc.record({ type: fc.constant('AGENT_END'), generateReason: reason, error: fc.constantFrom(undefined, { type: 'x', message: 'y' }), metadata: fc.constantFrom(undefined, { msg: { tag: 1 } }) }),
  fc.record({ type: fc.constant('MODEL_CALL_START'), metadata: fc.constantFrom(undefined, { call: 1, purpose: 'reason' }, { call: 2, purpose: 'repair' }) }),
  fc.record({ type: fc.constant('MODEL_CALL_END'), usage: fc.constantFrom(undefined, { inputTokens: 3, outputTokens: 1, time: 0.5 }), metadata: fc.constantFrom(undefined, { discarded: true }, { finishReason: 'stop' }) }),
  ...streamed('TEXT_BLOCK'),
  ...streamed('THINKING_BLOCK'),
  ...streamed('DATA_BLOCK', { mediaType: fc.constantFrom(undefined, 'image/png') }),
  fc.record({ type: fc.constant('DATA_BLOCK_DELTA'), blockId, delta: fc.constantFrom('aGVsbA==', 'byE=', 'UklGR') }),
  ...['TOOL_CALL_START', 'TOOL_CALL_END', 'TOOL_RESULT_START'].map((type) => fc.record({ type: fc.constant(type), toolCallId, toolCallName })),
  ...['TOOL_CALL_DELTA', 'TOOL_RESULT_TEXT_DELTA'].map((type) => fc.record({ type: fc.constant(type), toolCallId, toolCallName, delta })),
  fc.record({ type: fc.constant('TOOL_RESULT_DATA_DELTA'), toolCallId, toolCallName, data }),
  fc.record({ type: fc.constant('TOOL_RESULT_END'), toolCallId, toolCallName, state, metadata: fc.constantFrom(undefined, { ms: 1, taskId: 't', gone: null }) }),
  fc.record({ type: fc.constantFrom('REQUIRE_USER_CONFIRM', 'REQUIRE_EXTERNAL_EXECUTION'), toolCalls: fc.array(toolUse, { maxLength: 2 }) }),
  fc.record({ type: fc.constant('USER_CONFIRM_RESULT'), confirmResults: fc.array(fc.record({ confirmed: fc.boolean(), toolCall: toolUse, rules: fc.constant(null) }), { maxLength: 2 }) }),
  fc.record({ type: fc.constant('EXTERNAL_EXECUTION_RESULT'), toolResults: fc.array(toolResult, { maxLength: 2 }) }),
  fc.record({ type: fc.constant('REQUEST_STOP'), reason: fc.constant('x'), generateReason: fc.constantFrom('MIDDLEWARE_STOP_REQUESTED', 'PERMISSION_ASKING') }),
  fc.record({ type: fc.constant('EXCEED_MAX_ITERS'), maxIters: fc.constant(3), currentIter: fc.constant(3) }),
  fc.record({ type: fc.constant('HINT_BLOCK'), blockId, hintSource: fc.constantFrom('user', ''), hint: fc.constant('h') }),
  fc.record({ type: fc.constantFrom('USER_INTERRUPT', 'ALL_TOOLS_DENIED', 'SUBAGENT_EXPOSED') }),
  fc.record({ type: fc.constant('CUSTOM'), name: fc.constant('x'), value: fc.constant({}) }),
  fc.record({ type: fc.constant('AGENT_RESULT'), result: fc.record({ id: fc.constant('z'), name: fc.constant('atlas'), role: fc.constant('ASSISTANT'), content: fc.array(fc.oneof(toolUse, toolResult, fc.constant({ type: 'text', text: 'ab' }), fc.constant({ type: 'thinking', thinking: 'ab', metadata: { sig: 1 } })), { maxLength: 3 }), metadata: fc.constantFrom({}, { k: 1 }, { agentscope_generate_reason: 'MAX_ITERATIONS' }), timestamp: fc.constant(null), usage: fc.constant(null) }) }),
);

/** Any events in any order; `own` ids count, others do not. Most come to one reply, some to a child. */
function streams(own: boolean): fc.Arbitrary<AgentEvent[]> {
  const replyId = own ? fc.constantFrom('r1', 'r1', 'r1', 'r2') : fc.constantFrom('r1', 'r1', ...REPLIES);
  const source = fc.constantFrom(undefined, undefined, undefined, undefined, 'main/scout');
  const event = fc.record({ fields, replyId, source });
  return fc.array(event, { maxLength: 60, size: 'max' }).map((list) =>
    list.map(({ fields: own_, replyId: rid, source: from }, n) => ({
      ...clean(own_),
      replyId: from === undefined ? rid : `child-${rid}`,
      id: own ? `${from === undefined ? rid : `child-${rid}`}:${1 + Math.floor(n / 30)}:${n}` : `ev${n}`,
      createdAt: n % 7 === 0 ? '' : `2026-01-01T00:00:00.${String(n).padStart(3, '0')}Z`,
      ...(from === undefined ? {} : { source: from }),
    })) as unknown as AgentEvent[],
  );
}

function clean(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

function shown(fold: Fold): unknown {
  return JSON.parse(JSON.stringify([fold.messages(), fold.children(), fold.facts(), fold.message() ?? null]));
}

function folded(events: readonly AgentEvent[]): unknown {
  const fold = createFold();
  for (const event of events) fold.apply(event);
  return shown(fold);
}

for (const own of [true, false]) {
  const kind = own ? 'of our own' : 'of others';

  test(`C029 C129 any events ${kind} fold without a throw, and each prefix shows a valid message that never changes afterwards`, () => {
    fc.assert(
      fc.property(streams(own), (events) => {
        const fold = createFold();
        const before: [string, unknown][] = [];
        for (const event of events) {
          fold.apply(event);
          const msg = fold.message();
          if (msg === undefined) continue;
          expect(fold.message()).toBe(msg);
          before.push([JSON.stringify(msg), msg]);
          expect(JSON.stringify(parseMsg(JSON.parse(JSON.stringify(msg))))).toBe(JSON.stringify(msg));
        }
        for (const [text, msg] of before) expect(JSON.stringify(msg)).toBe(text);
        expect(({} as { admin?: boolean }).admin).toBeUndefined();
      }),
      { numRuns: 150 },
    );
  });

  test(`S0-081 I1 cut anywhere and continued from a snapshot, events ${kind} fold to the same`, () => {
    fc.assert(
      fc.property(streams(own), fc.nat(), (events, at) => {
        const cut = events.length === 0 ? 0 : at % (events.length + 1);
        const first = createFold();
        for (const event of events.slice(0, cut)) first.apply(event);
        const second = createFold({ snapshot: JSON.parse(JSON.stringify(first.snapshot())) });
        expect(shown(second)).toEqual(shown(first));
        for (const event of events.slice(cut)) second.apply(event);
        expect(shown(second)).toEqual(folded(events));
      }),
      { numRuns: 150 },
    );
  });

  test(`I1 looking at the message between events ${kind} changes nothing`, () => {
    fc.assert(
      fc.property(streams(own), (events) => {
        const fold = createFold();
        for (const event of events) {
          fold.apply(event);
          fold.message();
          fold.snapshot();
        }
        expect(shown(fold)).toEqual(folded(events));
      }),
      { numRuns: 150 },
    );
  });

  test(`S0-081 I1 repeats of events ${kind} change nothing`, () => {
    fc.assert(
      fc.property(streams(own), fc.nat(), fc.nat(), (events, from, to) => {
        expect(folded(events.flatMap((event) => [event, event]))).toEqual(folded(events));
        // Ids of a reply that closed long ago are let go; its repeats are known by the reply they name.
        const named = events.map((event) => (event.replyId === '' ? { ...event, replyId: 'r1' } : event));
        const [a, b] = [from % (events.length + 1), to % (events.length + 1)].sort((x, y) => x - y) as [number, number];
        expect(folded([...named.slice(0, b), ...named.slice(a, b), ...named.slice(b)])).toEqual(folded(named));
      }),
      { numRuns: 150 },
    );
  });

  test(`I1 events ${kind} fold to the same after their extended JSON`, () => {
    fc.assert(
      fc.property(streams(own), (events) => {
        const read = events.map((event) => parseEvent(JSON.parse(JSON.stringify(toJava2(event, { extensions: true })))));
        expect(folded(read)).toEqual(folded(events));
      }),
      { numRuns: 150 },
    );
  });
}

test('a viewer that saw more than was durable ends equal after a rewind', () => {
  fc.assert(
    fc.property(streams(true), fc.nat(), fc.nat(), (list, from, to) => {
      const first = { type: 'AGENT_START', id: 'r1:0:0', createdAt: '', replyId: 'r1', name: 'atlas', sessionId: 's', role: 'assistant' } as AgentEvent;
      const events = [first, ...list.filter(({ source, replyId }) => source !== undefined || replyId === 'r1')];
      const [a, b] = [1 + (from % events.length), 1 + (to % events.length)].sort((x, y) => x - y) as [number, number];
      const durable = createFold();
      for (const event of events.slice(0, a)) durable.apply(event);
      const viewer = createFold();
      for (const event of events.slice(0, b)) viewer.apply(event);
      viewer.apply({ type: 'CUSTOM', id: '', createdAt: '', name: 'agentscope.rewind', value: { snapshot: JSON.parse(JSON.stringify(durable.snapshot())) } } as AgentEvent);
      for (const event of events.slice(a)) viewer.apply(event);
      const whole = folded(events) as [unknown, unknown[]];
      const seen = shown(viewer) as [unknown, unknown[]];
      expect(seen).toEqual(whole);
    }),
    { numRuns: 150 },
  );
});
