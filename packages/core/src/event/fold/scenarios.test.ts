import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Msg, msgToJava2 } from '../../message/index.ts';
import type { AgentEvent } from '../index.ts';
import { createFold } from '../index.ts';

const dir = new URL('../../../fixtures/wire/scenarios/', import.meta.url);
const names = readdirSync(dir).filter((n) => n.endsWith('.msg.json') && !n.includes('paused') && !n.startsWith('python')).map((n) => n.replace('.msg.json', ''));
for (const name of names) test(name, () => {
  const events = readFileSync(new URL(`${name}.events.jsonl`, dir), 'utf8').trim().split('\n').map((l) => JSON.parse(l) as AgentEvent).map((e) => e.type === 'AGENT_RESULT' ? { ...e, result: new Msg(e.result as never) } : e);
  const fold = createFold();
  for (const e of events) { fold.apply(e); fold.message(); }
  expect(msgToJava2(fold.message() as Msg)).toEqual(JSON.parse(readFileSync(new URL(`${name}.msg.json`, dir), 'utf8')));
});
