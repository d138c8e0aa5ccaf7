import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { msgToJava2, parseMsg } from '../../message/index.ts';
import type { Msg } from '../../message/index.ts';
import { createFold, foldEvents, parseEvent } from '../index.ts';
import type { AgentEvent } from '../index.ts';

interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly pausedAfterLine?: number;
  readonly needsResult: boolean;
}
const folder = new URL('../../../fixtures/wire/scenarios/', import.meta.url);
const text = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
const eventsOf = (name: string): AgentEvent[] =>
  text(`${name}.events.jsonl`)
    .trim()
    .split('\n')
    .map((line) => parseEvent(JSON.parse(line)));
const java2 = (msg: Msg): unknown => msgToJava2(msg);

/** Rows and cases of which a scenario is the test. */
const ROWS: Readonly<Record<string, string>> = {
  'hitl-pause-resume': 'S0-020',
  'one-tool': 'S0-021 S0-007',
  'java-foreign-two-iterations': 'S0-040',
  'replay-overlap': 'S0-081',
  'data-block': 'S0-056 S0-057 C130',
};

for (const scenario of JSON.parse(text('index.json')) as Scenario[]) {
  const { name, title } = scenario;
  const expected: unknown = JSON.parse(text(`${name}.msg.json`));
  const rows = ROWS[name] === undefined ? '' : `${ROWS[name]} `;

  test(`${rows}${name}: ${title}`, () => {
    const fold = createFold();
    for (const event of eventsOf(name)) fold.apply(event);
    expect(java2(fold.message() as Msg)).toEqual(expected);
    const children = fold.children().map(({ messages, ...child }) => ({ ...child, messages: messages.map(java2) }));
    expect(children).toEqual(existsSync(new URL(`${name}.children.json`, folder)) ? JSON.parse(text(`${name}.children.json`)) : []);
  });

  test(`${rows}${name}: twice each, without AGENT_RESULT, with a snapshot after each line, and written again it is the same`, () => {
    const events = eventsOf(name);
    expect(java2(foldEvents(events.flatMap((event) => [event, event])))).toEqual(expected);
    if (!scenario.needsResult) expect(java2(foldEvents(events.filter(({ type }) => type !== 'AGENT_RESULT')))).toEqual(expected);
    let fold = createFold();
    for (const event of events) {
      fold = createFold({ snapshot: JSON.parse(JSON.stringify(fold.snapshot())) });
      fold.apply(event);
      expect(() => parseMsg(JSON.parse(JSON.stringify(fold.message())))).not.toThrow();
    }
    expect(java2(fold.message() as Msg)).toEqual(expected);
    expect(java2(parseMsg(expected))).toEqual(expected);
  });

  if (scenario.pausedAfterLine !== undefined) {
    const cut = scenario.pausedAfterLine;
    test(`${name}: cut at the pause, it goes on from the paused message`, () => {
      const paused = foldEvents(eventsOf(name).slice(0, cut));
      expect(java2(paused)).toEqual(JSON.parse(text(`${name}.paused.msg.json`)));
      expect(java2(foldEvents(eventsOf(name).slice(cut), { seed: parseMsg(JSON.parse(JSON.stringify(paused))) }))).toEqual(expected);
    });
  }
}

test('S0-020 the states of a call on its way through a question', () => {
  const fold = createFold();
  const states = new Set<string>();
  for (const event of eventsOf('hitl-pause-resume')) {
    fold.apply(event);
    for (const call of fold.message()?.getContentBlocks('tool_use') ?? []) if (call.id === 'c-1') states.add(call.state);
  }
  expect([...states]).toEqual(['pending', 'asking', 'allowed', 'finished']);
});

test('I9 proposed and executed arguments are both kept', () => {
  const [call] = foldEvents(eventsOf('hitl-pause-resume')).getContentBlocks('tool_use');
  expect(call?.input).toEqual({ to: 'deck@harbor.example', subject: 'Tide' });
  expect(call?.metadata).toEqual({ proposed: { to: 'ops@harbor.example', subject: 'Tide' } });
});
