import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ReActAgent } from '../agent/index.ts';
import type { ReActAgentOptions } from '../agent/index.ts';
import { agentAsTool } from '../multi-agent/index.ts';
import { InMemorySession } from '../session/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { defineTool } from '../tool/index.ts';
import { LineFile } from './line-file.ts';
import type { TraceFiles } from './line-file.ts';
import { jsonlTrace } from './node.ts';
import type { JsonlTrace, JsonlTraceOptions, TraceLine } from './node.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'agentscope-trace-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SECRET = 'sk-proj-abcdefghijklmnop1234';
const tells = defineTool({ name: 'tells', description: 'tells', input: { type: 'object', properties: { text: { type: 'string' }, password: { type: 'string' } } }, execute: ({ text }) => `{"said":"${String(text)}","token":"abc"}` });
const agentWith = (trace: JsonlTrace, script: readonly ScriptedReply[], options: Partial<ReActAgentOptions> = {}): ReActAgent =>
  new ReActAgent({ name: 'Ada', model: scriptedModel(...script), toolkit: [tells], session: new InMemorySession(), middleware: [trace], ...options });
const read = (name = 'trace.jsonl'): readonly TraceLine[] => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as TraceLine);
async function traced(script: readonly ScriptedReply[], { input = 'Go.', ...options }: JsonlTraceOptions & { readonly input?: string } = {}): Promise<readonly TraceLine[]> {
  await using trace = jsonlTrace(join(folder, 'deep/er/trace.jsonl'), options);
  await agentWith(trace, script).call(input, { userId: 'u', sessionId: 's' }).catch(() => undefined);
  await trace.flush();
  return read('deep/er/trace.jsonl');
}

test('one line for each event in order, the input first, the text of a block whole, each saying whose it is', async () => {
  const lines = await traced([[{ thinking: ['h', 'm'] }, { tool: 'tells', id: 'c', input: { text: 'hi' }, usage: { inputTokens: 3, outputTokens: 2 } }], ['Do', 'ne.']]);
  expect(lines.map(({ type }) => type)).toEqual([
    'AGENT_START', 'INPUT', 'MODEL_CALL_START', 'THINKING_BLOCK', 'TOOL_CALL', 'MODEL_CALL_END', 'TOOL_RESULT_START', 'TOOL_RESULT_END', 'MODEL_CALL_START', 'TEXT_BLOCK', 'MODEL_CALL_END', 'AGENT_RESULT', 'AGENT_END',
  ]);
  const replyId = lines[0]?.replyId;
  for (const line of lines) expect(line).toMatchObject({ agent: 'Ada', sessionId: 's', userId: 'u', replyId, at: expect.stringMatching(/^\d{4}-.*Z$/) });
  const of = (type: string): TraceLine | undefined => lines.find((line) => line.type === type);
  expect(of('INPUT')).toMatchObject({ messages: [{ role: 'USER', content: [{ type: 'text', text: 'Go.' }] }] });
  expect(of('THINKING_BLOCK')).toMatchObject({ text: 'hm' });
  expect(of('TOOL_CALL')).toMatchObject({ toolCallId: 'c', toolCallName: 'tells', text: '{"text":"hi"}' });
  expect(of('MODEL_CALL_END')).toMatchObject({ usage: { inputTokens: 3, outputTokens: 2 } });
  expect(of('TOOL_RESULT_END')).toMatchObject({ state: 'success', text: '{"said":"hi","token":"[redacted]"}' });
  expect(lines.find(({ type }) => type === 'TEXT_BLOCK')).toMatchObject({ text: 'Done.' });
  expect(statSync(join(folder, 'deep/er/trace.jsonl')).mode & 0o777).toBe(0o600);
});

test('secrets are masked wherever they are said, also cut across deltas; redact: false keeps them; a function has the say', async () => {
  const script: ScriptedReply[] = [[{ text: [SECRET.slice(0, 9), SECRET.slice(9)] }, { tool: 'tells', input: { text: SECRET, password: 'hunter2' } }], 'Done.'];
  const masked = JSON.stringify(await traced(script, { input: `My key is ${SECRET}` }));
  expect([masked.includes(SECRET), masked.includes('hunter2'), masked.includes('My key is [redacted]')]).toEqual([false, false, true]);
  rmSync(join(folder, 'deep'), { recursive: true });
  const whole = JSON.stringify(await traced(script, { redact: false }));
  expect([whole.includes(SECRET), whole.includes('hunter2')]).toEqual([true, true]);
  rmSync(join(folder, 'deep'), { recursive: true });
  const own = await traced(['Hello.'], { redact: (text) => text.toUpperCase() });
  expect(own.find(({ type }) => type === 'TEXT_BLOCK')?.['text']).toBe('HELLO.');
  rmSync(join(folder, 'deep'), { recursive: true });
  const broken = await traced(['Hello.'], { redact: () => { throw new Error('mine'); } });
  expect([broken.at(-1)?.type, JSON.stringify(broken).includes('Hello')]).toEqual(['AGENT_END', false]);
});

test('without content nothing that was said is written, in any ending; how much it was is', async () => {
  const said = ['QUESTION-1', 'ARGUMENT-2', 'ANSWER-3', 'REASON-4', 'FAILURE-5', SECRET];
  const lines = await traced([[{ thinking: 'REASON-4' }, { tool: 'tells', input: { text: 'ARGUMENT-2' } }], [{ text: 'ANSWER-3' }, { error: new Error('FAILURE-5') }]], { content: false, requests: true, input: `QUESTION-1 ${SECRET}` });
  expect(said.filter((text) => JSON.stringify(lines).includes(text))).toEqual([]);
  expect(lines.find(({ type }) => type === 'TEXT_BLOCK')).toMatchObject({ textLength: 8 });
  expect(lines.at(-1)).toMatchObject({ type: 'AGENT_END', error: { type: 'model/failed' } });
});

test('requests are written when asked for, with what was sent and without headers', async () => {
  await using trace = jsonlTrace(join(folder, 'trace.jsonl'), { requests: true });
  await agentWith(trace, ['Hi.'], { sysPrompt: 'Be kind.', generateOptions: { temperature: 0, additionalHeaders: { 'x-mine': 'private' } } }).call('Go.');
  await trace.flush();
  expect(read().find(({ type }) => type === 'MODEL_REQUEST')).toMatchObject({ provider: 'scripted', purpose: 'reason', options: { temperature: 0 }, tools: ['tells'], messages: [{ role: 'SYSTEM' }, { role: 'USER' }] });
  expect(readFileSync(join(folder, 'trace.jsonl'), 'utf8')).not.toContain('private');
});

test('a long text is cut and says so, and no part of a secret across the cut is left', async () => {
  const lines = await traced([`${'x'.repeat(90)} ${SECRET} ${'y'.repeat(5000)}`], { maxTextLength: 100 });
  const text = String(lines.find(({ type }) => type === 'TEXT_BLOCK')?.['text']);
  expect([text.startsWith('x'.repeat(90)), text.includes('sk-'), /… \[\d+ more characters\]$/.test(text), text.length < 200]).toEqual([true, false, true, true]);
});

test('what a child says is written once: by itself where it is traced, else as its caller passes it on', async () => {
  const family = async (childTraced: boolean): Promise<readonly TraceLine[]> => {
    await using trace = jsonlTrace(pathToFileURL(join(folder, 'trace.jsonl')));
    const child = new ReActAgent({ name: 'child', model: scriptedModel('From below.'), middleware: childTraced ? [trace] : [] });
    await agentWith(trace, [{ tool: 'child', input: { message: 'q' } }, 'Done.'], { toolkit: [agentAsTool(child)] }).call('go', { sessionId: 'top' });
    await trace.close();
    const lines = read();
    rmSync(join(folder, 'trace.jsonl'));
    return lines.filter(({ text }) => text === 'From below.' || text === 'Done.');
  };
  expect(await family(true)).toMatchObject([{ agent: 'child', type: 'TEXT_BLOCK' }, { agent: 'Ada', type: 'TOOL_RESULT_END' }, { agent: 'Ada', text: 'Done.' }]);
  expect(await family(false)).toMatchObject([{ agent: 'Ada', source: 'top/child' }, { type: 'TOOL_RESULT_END' }, { text: 'Done.' }]);
});

test('files rotate by size, the newest without a number, the oldest let go; every line is whole', async () => {
  await using trace = jsonlTrace(join(folder, 'trace.jsonl'), { maxBytes: 2_000, maxFiles: 3 });
  const agent = agentWith(trace, Array.from({ length: 12 }, (_, i) => `Answer ${i}.`));
  for (let i = 0; i < 12; i++) {
    await agent.call(`Question ${i}?`);
    await trace.flush();
  }
  expect(readdirSync(folder).toSorted()).toEqual(['trace.jsonl', 'trace.jsonl.1', 'trace.jsonl.2']);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(2_000);
  const texts = ['trace.jsonl.2', 'trace.jsonl.1', 'trace.jsonl'].flatMap((name) => read(name)).flatMap(({ text }) => (text === undefined ? [] : [text]));
  expect([texts.at(-1), texts.length]).toEqual(['Answer 11.', new Set(texts).size]);
});

test('a file that cannot be written costs no reply: it is said once, and what was lost is counted when it can be again', async () => {
  writeFileSync(join(folder, 'deep'), 'a file where a folder has to be');
  const warnings: string[] = [];
  await using trace = jsonlTrace(join(folder, 'deep/trace.jsonl'), { onWarning: (message) => (warnings.push(message), expect.fail('a warning that throws')) });
  const agent = agentWith(trace, ['One.', 'Two.', 'Three.']);
  expect((await agent.call('go')).getTextContent()).toBe('One.');
  expect((await agent.call('go')).getTextContent()).toBe('Two.');
  await trace.flush();
  expect([warnings.length, /has gaps: .*(ENOTDIR|EEXIST)/.test(warnings[0] ?? '')]).toEqual([1, true]);
  rmSync(join(folder, 'deep'));
  expect((await agent.call('go')).getTextContent()).toBe('Three.');
  await trace.flush();
  const lines = readFileSync(join(folder, 'deep/trace.jsonl'), 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as TraceLine);
  expect([lines[0]?.type, Number(lines[0]?.['lines']) > 0, lines.at(-1)?.type]).toEqual(['TRACE_LINES_LOST', true, 'AGENT_END']);
});

test('after close nothing is written, and bad options are refused', async () => {
  const trace = jsonlTrace(join(folder, 'trace.jsonl'));
  const agent = agentWith(trace, ['One.', 'Two.']);
  await agent.call('go');
  await trace.close();
  const { size } = statSync(join(folder, 'trace.jsonl'));
  expect((await agent.call('go')).getTextContent()).toBe('Two.');
  await trace.close();
  expect(statSync(join(folder, 'trace.jsonl')).size).toBe(size);
  for (const make of [() => jsonlTrace(''), () => jsonlTrace('x', { maxBytes: 0 }), () => jsonlTrace('x', { maxFiles: Number.NaN }), () => jsonlTrace('x', { maxTextLength: -1 })]) expect(make).toThrow(expect.objectContaining({ code: 'config/invalid' }));
});

/** A disk in memory that is full now and then, and may write half. */
class Disk implements TraceFiles {
  readonly files = new Map<string, string>();
  readonly #fails: (attempt: number) => boolean;
  #attempts = 0;
  constructor(fails: (attempt: number) => boolean) {
    this.#fails = fails;
  }
  size = async (path: string): Promise<number> => this.files.get(path)?.length ?? 0;
  append = async (path: string, bytes: Uint8Array): Promise<void> => {
    const text = new TextDecoder().decode(bytes);
    const full = this.#fails(this.#attempts++);
    this.files.set(path, (this.files.get(path) ?? '') + (full ? text.slice(0, text.length / 2) : text));
    if (full) throw new Error('ENOSPC: no space left on device');
  };
  rename = async (from: string, to: string): Promise<void> => {
    const text = this.files.get(from);
    if (text === undefined) return;
    this.files.delete(from);
    this.files.set(to, text);
  };
  remove = async (path: string): Promise<void> => void this.files.delete(path);
}

test('whatever the disk does, lines come in order, none twice, and those that are missing are counted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 40 }), fc.array(fc.boolean(), { maxLength: 20 }), fc.constantFrom(200, 1_000, 1e9), async (turns, fails, maxBytes) => {
      const disk = new Disk((attempt) => fails[attempt] ?? false);
      const warnings: string[] = [];
      const file = new LineFile({ path: 'f', files: disk, maxBytes, maxFiles: 100, maxBufferBytes: 1e9, warn: (message) => warnings.push(message) });
      let number = 0;
      for (const count of turns) {
        for (let i = 0; i <= count; i++) file.write(JSON.stringify({ number: number++ }));
        await file.flush();
      }
      for (let i = 0; i <= fails.length; i++) { // until the disk is well again
        file.write(JSON.stringify({ number: number++ }));
        await file.flush();
      }
      await file.close();
      const names = [...disk.files.keys()].toSorted((a, b) => Number(b.split('.')[1] ?? 0) - Number(a.split('.')[1] ?? 0));
      const lines = names.flatMap((name) => (disk.files.get(name) ?? '').split('\n')).flatMap((line) => { try { return [JSON.parse(line) as { number?: number; lines?: number }]; } catch { return []; } });
      const numbers = lines.flatMap((line) => (line.number === undefined ? [] : [line.number]));
      expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
      const lost = lines.reduce((sum, line) => sum + (line.lines ?? 0), 0);
      expect(numbers.length + lost).toBeGreaterThanOrEqual(number); // a line that was written before its batch failed is counted as lost as well
      expect(warnings.length).toBeLessThanOrEqual(1);
    }),
  );
});

test('lines that come faster than the disk takes them are dropped beyond the bound, and counted', async () => {
  const disk = new Disk(() => false);
  const warnings: string[] = [];
  const file = new LineFile({ path: 'f', files: disk, maxBytes: 1e9, maxFiles: 1, maxBufferBytes: 100, warn: (message) => warnings.push(message) });
  for (let i = 0; i < 50; i++) file.write(`"line ${String(i).padStart(2, '0')}"`);
  await file.flush();
  file.write('"last"');
  await file.close();
  const lines = disk.files.get('f')?.trimEnd().split('\n').map((line) => JSON.parse(line) as string | { lines: number }) ?? [];
  const lost = lines.reduce((sum, line) => sum + (typeof line === 'object' ? line.lines : 0), 0);
  expect([lines.filter((line) => typeof line === 'string').length + lost, lines.at(-1), warnings.length]).toEqual([51, 'last', 1]);
});

test('a folder that may not be written is only a warning', async ({ skip }) => {
  if (process.getuid?.() === 0) skip('root may write everywhere');
  chmodSync(folder, 0o500);
  const warnings: string[] = [];
  await using trace = jsonlTrace(join(folder, 'trace.jsonl'), { onWarning: (message) => warnings.push(message) });
  expect((await agentWith(trace, ['One.']).call('go')).getTextContent()).toBe('One.');
  await trace.flush();
  chmodSync(folder, 0o700);
  expect(warnings.length).toBe(1);
});
