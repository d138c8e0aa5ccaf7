// Streams as emitters make them, and as wires spoil them: children two deep, any cut, lost tails, repeats, ids of others.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AgentScopeError } from '../src/error/index.ts';
import { createFold, foldEvents, parseEvent, translateEvents } from '../src/event/index.ts';
import type { AgentEvent } from '../src/event/index.ts';
import { Msg, parseMsg, toBase64 } from '../src/message/index.ts';
import { toJava2, toPython2 } from '../src/state/index.ts';

const RUNS = { numRuns: 300 };
const word = fc.oneof(fc.constantFrom('a', ' ', '\n', '🟢', '\ud83d', '\udfe2', '__proto__', '{"', '\u0000'), fc.string({ unit: 'binary', maxLength: 5 }));
const textPart = fc.record({ kind: fc.constantFrom('TEXT_BLOCK' as const, 'THINKING_BLOCK' as const), pieces: fc.array(word, { minLength: 1, maxLength: 4 }), signature: fc.option(word, { nil: undefined }) });
const dataPart = fc.record({ kind: fc.constant('DATA_BLOCK' as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }), cuts: fc.array(fc.nat(30), { maxLength: 4 }), whole: fc.boolean() });
const json = fc.dictionary(fc.constantFrom('a', '__proto__', 'constructor', 'toString'), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
const callPart = fc.record({ kind: fc.constant('CALL' as const), input: json, broken: fc.boolean(), at: fc.nat(40), output: fc.array(word, { maxLength: 3 }), state: fc.constantFrom('success' as const, 'error' as const, 'denied' as const), answer: fc.constantFrom('none' as const, 'yes' as const, 'no' as const, 'external' as const) });
const part = fc.oneof(textPart, dataPart, callPart);
/** A reply: rounds of parts, each a model call. */
const reply = fc.array(fc.array(part, { maxLength: 3 }), { minLength: 1, maxLength: 3 });
type Part = typeof part extends fc.Arbitrary<infer P> ? P : never;
type Reply = readonly (readonly Part[])[];

interface Told {
  readonly lines: readonly Record<string, unknown>[];
  /** What it says: texts, bytes, arguments, outputs. */
  readonly said: readonly unknown[];
}

/** The events of a reply, in order; foreign emitters give each model call an id of its own, as Java does. */
function tell(rounds: Reply, { replyId, source, foreign }: { readonly replyId: string; readonly source?: string; readonly foreign: boolean }): Told {
  const lines: Record<string, unknown>[] = [];
  const said: unknown[] = [];
  const say = (type: string, fields: object = {}, phase = ''): void => {
    const id = foreign ? `${source ?? ''}${replyId}-e${lines.length}` : `${replyId}:1:${lines.length}`;
    lines.push({ type, id, createdAt: '2026-01-01T00:00:00.000Z', replyId: foreign && phase !== '' ? `${replyId}-${phase}` : replyId, ...fields, ...(source === undefined ? {} : { source, metadata: { ...(fields as { metadata?: object }).metadata, taskId: 'task' } }) });
  };
  say('AGENT_START', { sessionId: 's', name: 'atlas', role: 'assistant' });
  rounds.forEach((parts, round) => {
    say('MODEL_CALL_START', {}, `m${round}`);
    const results: (() => void)[] = [];
    parts.forEach((each, n) => tellPart(each, { key: foreign ? 'text' : `b${round}-${n}`, callId: `c${round}-${n}`, say: (type, fields) => say(type, fields, `m${round}`), act: (type, fields) => say(type, fields, `a${round}`), results, said }));
    say('MODEL_CALL_END', { usage: { inputTokens: 1, outputTokens: 1 } }, `m${round}`);
    for (const result of results) result();
  });
  say('AGENT_END');
  return { lines, said };
}

interface Telling {
  readonly key: string;
  readonly callId: string;
  say(type: string, fields?: object): void;
  act(type: string, fields?: object): void;
  readonly results: (() => void)[];
  readonly said: unknown[];
}

function tellPart(each: Part, telling: Telling): void {
  if (each.kind === 'CALL') return tellCall(each, telling);
  const { key: blockId, say, said } = telling;
  if (each.kind === 'DATA_BLOCK') {
    say('DATA_BLOCK_START', { blockId, mediaType: 'image/png' });
    for (const delta of cutBytes(each)) say('DATA_BLOCK_DELTA', { blockId, delta });
    say('DATA_BLOCK_END', { blockId });
    return void said.push(toBase64(each.bytes));
  }
  const text = each.pieces.join('');
  say(`${each.kind}_START`, { blockId });
  for (const delta of each.pieces) say(`${each.kind}_DELTA`, { blockId, delta });
  say(`${each.kind}_END`, { blockId, ...(each.signature === undefined ? {} : { metadata: { block: { signature: each.signature } } }) });
  if (text !== '' || each.signature !== undefined) said.push(text);
}

/** Whole pieces are encoded one by one; otherwise one text is cut, never so that each piece looks whole. */
function cutBytes({ bytes, cuts, whole }: Extract<Part, { kind: 'DATA_BLOCK' }>): string[] {
  if (whole) {
    const at = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
    return at.slice(1).map((end, n) => toBase64(bytes.subarray(at[n], end))).filter((piece) => piece !== '');
  }
  const text = toBase64(bytes);
  const at = [0, ...cuts.map((cut) => cut % text.length).sort((a, b) => a - b), text.length];
  return at.slice(1).map((end, n) => text.slice(at[n], end)).filter((piece) => piece !== '');
}

function tellCall({ input, broken, at, output, state, answer }: Extract<Part, { kind: 'CALL' }>, { callId: toolCallId, say, act, results, said }: Telling): void {
  const toolCallName = 'add';
  const text = broken ? `${JSON.stringify(input)}{` : JSON.stringify(input);
  const call = { type: 'tool_use', id: toolCallId, name: toolCallName, input: broken ? {} : input, content: text, state: 'pending', metadata: {} };
  const ids = { toolCallId, toolCallName };
  say('TOOL_CALL_START', ids);
  for (const delta of [text.slice(0, at), text.slice(at)].filter((piece) => piece !== '')) say('TOOL_CALL_DELTA', { ...ids, delta });
  say('TOOL_CALL_END', ids);
  said.push(text);
  if (answer === 'yes' || answer === 'no') {
    results.push(() => act('REQUIRE_USER_CONFIRM', { toolCalls: [call] }), () => act('USER_CONFIRM_RESULT', { confirmResults: [{ confirmed: answer === 'yes', toolCall: call, rules: null }] }));
  }
  results.push(() => {
    act('TOOL_RESULT_START', ids);
    for (const delta of output) act('TOOL_RESULT_TEXT_DELTA', { ...ids, delta });
    act('TOOL_RESULT_END', { ...ids, state });
  });
  said.push(output.join(''));
}

/** What a message says, in the order of `tell`: a call is followed by its output. */
function saidBy(msg: Msg | undefined): unknown[] {
  return (msg?.content ?? []).flatMap((block) => {
    if (block.type === 'text') return [block.text];
    if (block.type === 'thinking') return [block.thinking];
    if (block.type === 'data') return [block.source.type === 'base64' ? block.source.data : block.source.url];
    if (block.type !== 'tool_use') return [];
    const result = msg?.getToolCalls().find(({ call }) => call === block)?.result;
    return [block.content, (result?.output ?? []).map((piece) => (piece.type === 'text' ? piece.text : '?')).join('')];
  });
}

/** Several emitters on one wire: each keeps its own order. */
function interleave(streams: readonly (readonly Record<string, unknown>[])[], picks: readonly number[]): Record<string, unknown>[] {
  const left = streams.map((lines) => [...lines]).filter((lines) => lines.length > 0);
  const all: Record<string, unknown>[] = [];
  for (let n = 0; left.length > 0; n++) {
    const at = (picks[n % Math.max(picks.length, 1)] ?? 0) % left.length;
    const next = left[at]?.shift();
    if (next !== undefined) all.push(next);
    if (left[at]?.length === 0) left.splice(at, 1);
  }
  return all;
}

const family = fc.record({ own: reply, child: reply, grandchild: reply, foreign: fc.boolean(), picks: fc.array(fc.nat(9), { minLength: 1, maxLength: 20 }) });
type Family = typeof family extends fc.Arbitrary<infer F> ? F : never;

interface Wire extends Told {
  readonly child: Told;
  readonly grandchild: Told;
}
function wireOf({ own, child, grandchild, foreign, picks }: Family): Wire {
  const top = tell(own, { replyId: 'r', foreign });
  const one = tell(child, { replyId: 'k', source: 'main/scout', foreign });
  const two = tell(grandchild, { replyId: 'g', source: 'main/scout/digger', foreign });
  return { lines: interleave([top.lines, one.lines, two.lines], picks), said: top.said, child: one, grandchild: two };
}
const read = (line: unknown): AgentEvent => parseEvent(JSON.stringify(line), { unknown: 'keep' });
function folded(lines: readonly unknown[]): unknown {
  const fold = createFold();
  for (const line of lines) fold.apply(read(line));
  return JSON.parse(JSON.stringify([fold.message() ?? null, fold.children()]));
}

test('S0-035 I1 what a reply, its child and its grandchild say comes out as they said it, however they were cut and mixed', () => {
  fc.assert(
    fc.property(family, (given) => {
      const { lines, said, child, grandchild } = wireOf(given);
      const fold = createFold();
      for (const line of lines) fold.apply(read(line));
      expect(saidBy(fold.message())).toEqual(said);
      const lanes = new Map(fold.children().map(({ source, taskId, messages }) => [`${source} ${taskId}`, messages]));
      expect([...lanes.keys()].sort()).toEqual(['main/scout task', 'main/scout/digger task']);
      expect(saidBy(lanes.get('main/scout task')?.[0])).toEqual(child.said);
      expect(saidBy(lanes.get('main/scout/digger task')?.[0])).toEqual(grandchild.said);
    }),
    RUNS,
  );
});

test('C129 with its tail lost, whatever the cut, a stream folds to a message that its own readers take', () => {
  fc.assert(
    fc.property(family, fc.nat(), (given, at) => {
      const { lines } = wireOf(given);
      const fold = createFold();
      for (const line of lines.slice(0, at % (lines.length + 1))) {
        fold.apply(read(line));
        for (const msg of [fold.message(), ...fold.children().flatMap(({ messages }) => messages)]) {
          if (msg === undefined) continue;
          const text = JSON.stringify(msg);
          expect(JSON.stringify(parseMsg(text))).toBe(text);
          expect(JSON.stringify(new Msg(JSON.parse(text)))).toBe(text);
        }
      }
      expect(({} as { admin?: unknown }).admin).toBeUndefined();
    }),
    { numRuns: 100 },
  );
});

test('I1 S0-081 repeats, unknown types between and a snapshot anywhere change nothing', () => {
  fc.assert(
    fc.property(family, fc.nat(), fc.nat(), (given, from, to) => {
      const { lines } = wireOf(given);
      const whole = folded(lines);
      const [a, b] = [from % (lines.length + 1), to % (lines.length + 1)].sort((x, y) => x - y) as [number, number];
      expect(folded([...lines.slice(0, b), ...lines.slice(a, b), ...lines.slice(b)])).toEqual(whole);
      expect(folded(lines.flatMap((line, n) => [line, { type: 'WARP', id: `w${n}`, replyId: 'r', delta: 'x' }]))).toEqual(whole);
      const first = createFold();
      for (const line of lines.slice(0, a)) first.apply(read(line));
      const second = createFold({ snapshot: JSON.parse(JSON.stringify(first.snapshot())) });
      for (const line of lines.slice(a)) second.apply(read(line));
      expect(JSON.parse(JSON.stringify([second.message() ?? null, second.children()]))).toEqual(whole);
    }),
    { numRuns: 100 },
  );
});

test('events in each dialect are a fixed point of reading and writing, and the extended form loses nothing', () => {
  fc.assert(
    fc.property(family, (given) => {
      for (const line of wireOf(given).lines) {
        const event = read(line);
        const java = JSON.parse(JSON.stringify(toJava2(event)));
        expect(toJava2(parseEvent(java))).toEqual(java);
        expect(parseEvent(JSON.stringify(toJava2(event, { extensions: true })))).toEqual(event);
        const python = toPython2(event);
        if (python !== undefined) expect(toPython2(parseEvent(JSON.stringify(python)))).toEqual(JSON.parse(JSON.stringify(python)));
      }
    }),
    { numRuns: 100 },
  );
});

test('a stream that went through another language says the same', async () => {
  await fc.assert(
    fc.asyncProperty(reply, fc.boolean(), fc.constantFrom('java2' as const, 'python2' as const), async (rounds, foreign, to) => {
      const { lines, said } = tell(rounds, { replyId: 'r', foreign });
      const there: AgentEvent[] = [];
      for await (const line of translateEvents(lines.map(read), { to })) there.push(read(line));
      const [msg, direct] = [foldEvents(there), foldEvents(lines.map(read))];
      // A thinking that only holds a signature is known by `metadata.block`, which both languages carry along.
      expect(saidBy(msg)).toEqual(said);
      expect([msg.id, msg.name, msg.role]).toEqual([direct.id, direct.name, direct.role]);
      expect(msg.getToolCalls().map(({ call, result }) => [call.state, result?.state])).toEqual(direct.getToolCalls().map(({ call, result }) => [call.state, result?.state]));
    }),
    RUNS,
  );
});

test('messages in each dialect are a fixed point, whatever they hold', () => {
  const block = fc.oneof(
    fc.record({ type: fc.constant('text'), text: word, id: fc.constantFrom('t1', '__proto__'), createdAt: fc.constantFrom('2026-01-01 00:00:00.000', '2026-01-01T00:00:00') }, { requiredKeys: ['type', 'text'] }),
    fc.record({ type: fc.constant('thinking'), thinking: word, metadata: json }, { requiredKeys: ['type', 'thinking'] }),
    fc.record({ type: fc.constantFrom('data', 'image', 'audio', 'video'), source: fc.constantFrom({ type: 'url', url: 'https://a.example/x.mp3' }, { type: 'base64', data: 'AAAA', mediaType: 'image/png' }, { type: 'url', url: 'x', mime_type: 'a/b' }), minPixels: fc.constant(3) }, { requiredKeys: ['type', 'source'] }),
    fc.record({ type: fc.constant('tool_use'), id: word, name: word, input: json, content: fc.option(fc.constantFrom('{"a":1}', 'broken{')), state: fc.constantFrom('pending', 'ASKING', 'finished'), metadata: json, suggested_rules: fc.constantFrom([], [{ tool_name: 'add', rule_content: null, behavior: 'allow', source: 'user' }]) }),
    fc.record({ type: fc.constant('tool_result'), id: word, name: word, output: fc.oneof(word, fc.array(fc.record({ type: fc.constant('text'), text: word }), { maxLength: 2 })), state: fc.constantFrom('success', 'running'), metadata: json }),
    fc.record({ type: fc.constant('hint'), id: fc.constantFrom('h1', 'h2'), hint: fc.oneof(word, fc.array(fc.record({ type: fc.constant('text'), text: word }), { maxLength: 2 })), source: fc.option(word) }),
  );
  const message = fc.record({
    id: fc.constantFrom('m', '__proto__', '🟢'),
    name: fc.option(word),
    role: fc.constantFrom('USER', 'assistant', 'System', 'TOOL'),
    content: fc.oneof(word, fc.array(block, { maxLength: 4 })),
    metadata: fc.oneof(json, fc.constantFrom({ agentscope_generate_reason: 'INTERRUPTED' }, { _structured_output: [1] }, { agentscope_error: { type: 'x', message: 'y' } })),
    timestamp: fc.constantFrom('2026-01-01 00:00:00.000', '2026-01-01T00:00:00.5', '2026-01-01T00:00:00Z'),
    usage: fc.option(fc.record({ inputTokens: fc.nat(9), outputTokens: fc.nat(9), time: fc.constant(0.5) })),
    mood: word,
  });
  fc.assert(
    fc.property(message, (given) => {
      const msg = parseMsg(given);
      const text = JSON.stringify(msg);
      expect(JSON.stringify(parseMsg(text))).toBe(text);
      expect(parseMsg(text).equals(msg)).toBe(true);
      for (const write of [toJava2, toPython2] as const) {
        const once = JSON.parse(JSON.stringify(write(msg)));
        expect(JSON.parse(JSON.stringify(write(parseMsg(once))))).toEqual(once);
      }
    }),
    RUNS,
  );
});

test('whatever members an event has, it is read or refused with a typed error, and what was read folds to a message its readers take', () => {
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    word,
    fc.constantFrom<unknown>({ type: 'text', text: 'x' }, [{ type: 'tool_use', id: 'c', name: 'n', input: {} }], [{ type: 'tool_result', id: 'c', name: 'n', output: 'x' }], { type: 'url', url: 'x' }, { role: 'USER', content: 'x' }, { block: { signature: 's' }, call: 2, discarded: true, msg: { a: 1 } }, [{ confirmed: true, toolCall: { type: 'tool_use', id: 'c', name: 'n' } }], 'success', 'MODEL_STOP', 5),
  );
  const member = fc.constantFrom(
    'id', 'createdAt', 'created_at', 'source', 'metadata', 'replyId', 'reply_id', 'blockId', 'delta', 'data', 'url', 'mediaType', 'toolCallId', 'toolCallName', 'state', 'usage',
    'toolCalls', 'confirmResults', 'toolResults', 'execution_results', 'generateReason', 'reason', 'hint', 'hintSource', 'name', 'role', 'value', 'result', 'error', 'maxIters', '__proto__', 'extra',
  );
  const type = fc.constantFrom(
    'AGENT_START', 'AGENT_END', 'AGENT_RESULT', 'MODEL_CALL_START', 'MODEL_CALL_END', 'TEXT_BLOCK_DELTA', 'TEXT_BLOCK_END', 'THINKING_BLOCK_END', 'DATA_BLOCK_START', 'DATA_BLOCK_DELTA',
    'TOOL_CALL_START', 'TOOL_CALL_DELTA', 'TOOL_CALL_END', 'TOOL_RESULT_TEXT_DELTA', 'TOOL_RESULT_DATA_DELTA', 'TOOL_RESULT_END', 'REQUIRE_USER_CONFIRM', 'REQUIRE_EXTERNAL_EXECUTION',
    'USER_CONFIRM_RESULT', 'EXTERNAL_EXECUTION_RESULT', 'REQUEST_STOP', 'EXCEED_MAX_ITERS', 'HINT_BLOCK', 'CUSTOM', 'USER_INTERRUPT', 'ALL_TOOLS_DENIED', 'SUBAGENT_EXPOSED', 'REPLY_START', 'WARP',
  );
  const anything = fc.tuple(type, fc.array(fc.tuple(member, odd), { maxLength: 5 })).map(([kind, members]) => `{${[`"type":"${kind}"`, ...members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)].join(',')}}`);
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 20 }), (texts) => {
      const fold = createFold();
      for (const text of texts) {
        let event: AgentEvent;
        try {
          event = parseEvent(text, { unknown: 'keep' });
        } catch (error) {
          expect(AgentScopeError.is(error), String(error)).toBe(true);
          continue;
        }
        fold.apply(event);
        for (const msg of [fold.message(), ...fold.children().flatMap(({ messages }) => messages)]) {
          if (msg === undefined) continue;
          const written = JSON.stringify(msg);
          expect(JSON.stringify(parseMsg(written, { unknown: 'keep' }))).toBe(written);
        }
        toJava2(event);
        toPython2(event);
        fold.snapshot();
      }
    }),
    { numRuns: 1000 },
  );
});

test('whatever members a message has, in whichever dialect, it is read or refused with a typed error, and what was read can be written and read again', () => {
  const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), word, fc.constantFrom<unknown>({ type: 'url', url: 'x' }, { type: 'base64', data: 'AAAA' }, { data: 'data:image/png;base64,AA==' }, '{"a":1}', [{ type: 'text', text: 'x' }], [{ tool_name: 'x', behavior: 'ASK' }], 'asking', 3));
  const type = fc.constantFrom('text', 'thinking', 'data', 'image', 'audio', 'video', 'tool_use', 'tool_call', 'tool_result', 'hint', 'smell');
  const member = fc.constantFrom('id', 'text', 'thinking', 'source', 'name', 'input', 'content', 'state', 'metadata', 'output', 'hint', 'call', 'created_at', 'createdAt', 'suggested_rules', 'raw_input', 'signature', 'minPixels', 'extra', '__proto__');
  const object = (head: fc.Arbitrary<[string, unknown][]>, names: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
    fc.tuple(head, fc.array(fc.tuple(names, odd), { maxLength: 4 })).map(([first, rest]) => JSON.parse(`{${[...first, ...rest].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`) as unknown);
  const block = object(type.map((kind) => [['type', kind]]), member);
  const head = fc.tuple(fc.constantFrom('USER', 'assistant', 'system', 'TOOL'), fc.oneof(word, fc.array(fc.oneof(block, word), { maxLength: 3 }))).map(([role, content]): [string, unknown][] => [['role', role], ['content', content]]);
  const message = object(head, fc.constantFrom('id', 'name', 'metadata', 'timestamp', 'created_at', 'usage', 'finished_reason', 'error', 'structured_output', 'extra', 'originalRole', '__proto__'));
  fc.assert(
    fc.property(message, fc.constantFrom(undefined, 'java2' as const, 'python2' as const, 'python1' as const), (json, dialect) => {
      let msg: Msg;
      try {
        msg = parseMsg(json, { unknown: 'keep', ...(dialect === undefined ? {} : { dialect }) });
      } catch (error) {
        expect(AgentScopeError.is(error), String(error)).toBe(true);
        return;
      }
      const written = JSON.stringify(msg);
      expect(JSON.stringify(parseMsg(written, { dialect: 'java2', unknown: 'keep' }))).toBe(written);
      toJava2(msg);
      toPython2(msg);
      foldEvents([{ type: 'AGENT_RESULT', id: '', createdAt: '', result: msg }]);
      createFold({ seed: msg }).snapshot();
    }),
    { numRuns: 1000 },
  );
});
