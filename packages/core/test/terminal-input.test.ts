import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { UserAgent } from '@agentscope/core';
import type { UserInput } from '@agentscope/core';
import { TerminalUserInput } from '@agentscope/core/node';
import { describe, expect, test } from 'vitest';
import { noTerminal, openTerminal } from './support/terminal.ts';

const PROGRAM = fileURLToPath(new URL('fixtures/person.mjs', import.meta.url));

describe('on a pipe', () => {
  test('each line is an answer, blank ones are asked again, and lines that came early wait', async () => {
    expect(await onPipe(['3'], 'one\n\n  \ntwo\nthree')).toBe('Bob: Hello [31mAnn.\nAnn> {"said":"one"}\nAnn> Ann> Ann> {"said":"two"}\nAnn> {"said":"three"}\n');
  });

  test('a backslash goes on in the next line, and a fence holds lines as they are', async () => {
    expect(answersOf(await onPipe(['2'], 'a\\\nb\n"""\n  x\n\ny\\\n"""\n'))).toEqual([{ said: 'a\nb' }, { said: '  x\n\ny\\' }]);
  });

  test('an input that has ended is a typed error, not a hang', async () => {
    expect(await onPipe(['2'], 'one\n')).toContain('agent/input-closed {"agent":"Ann"}\n');
    expect(await onPipe(['1'], '')).toContain('agent/input-closed');
    expect(await onPipe(['1'], '"""\nnever closed\n')).toContain('agent/input-closed');
  });

  test('fields are asked one by one, and only what does not fit again', async () => {
    const printed = await onPipe(['1', 'schema'], 'Book it.\nRome\nmany\n\nsingle\n3\n');
    expect(printed).toContain('Ann> city - where to (string): nights (integer): breakfast (boolean, default false): room (single | double, optional): ');
    expect(printed).toMatch(/nights: .*integer.*\nnights \(integer\): \{/);
    expect(answersOf(printed)).toEqual([{ said: 'Book it.', data: { city: 'Rome', nights: 3, breakfast: false, room: 'single' } }]);
  });

  test('without words the content is what was filled in', async () => {
    expect(answersOf(await onPipe(['1', 'schema'], '\nRome\n2\ny\n\n'))).toEqual([{ said: '{"city":"Rome","nights":2,"breakfast":true}', data: { city: 'Rome', nights: 2, breakfast: true } }]);
  });

  test('an abort ends the wait, and the process ends by itself although the pipe stays open', async () => {
    const child = spawn(process.execPath, [PROGRAM, '0', 'abort'], { stdio: ['pipe', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, printed }).toEqual({ code: 0, printed: 'Bob: Hello [31mAnn.\nAnn> given up: TimeoutError\n' });
  });
});

describe('in a program', () => {
  test('several people at one input are asked one after the other, and bytes may be cut anywhere', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const people = ['Ann', 'Bob'].map((name) => new UserAgent({ name, input: new TerminalUserInput({ input, output }) }));
    const said = Promise.all(people.map((person) => person.call()));
    for (const byte of Buffer.from('é1\r\nü2\n')) {
      input.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await said).map((msg) => `${msg.name} ${msg.getTextContent()}`)).toEqual(['Ann é1', 'Bob ü2']);
    expect(String(output.read())).toBe('Ann> Bob> ');
  });

  test('who gives up while another is asked gets no line, and no listener is left', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const [ann, bob] = ['Ann', 'Bob'].map((name) => new UserAgent({ name, input: new TerminalUserInput({ input, output, inputHint: '? ' }) }));
    const before = input.eventNames().map((name) => input.listenerCount(name));
    const giveUp = new AbortController();
    const first = ann?.call(undefined, { signal: giveUp.signal });
    const second = bob?.call();
    giveUp.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    input.write('mine\n');
    expect((await second)?.getTextContent()).toBe('mine');
    expect(input.eventNames().map((name) => input.listenerCount(name))).toEqual(before);
  });

  test('the schema of a call asks for its fields, and only in that call', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const ann = new UserAgent({ name: 'Ann', input: new TerminalUserInput({ input, output }) });
    input.write('Take it.\n7\nBye.\n');
    const first = await ann.call('How many?', { schema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] } });
    expect([first.getTextContent(), first.getStructuredData()]).toEqual(['Take it.', { count: 7 }]);
    expect((await ann.call()).hasStructuredData()).toBe(false);
    await expect(ann.call(undefined, { schema: { type: 'string' } })).rejects.toMatchObject({ code: 'config/invalid' });
  });

  test('a way to ask is a function or has handleInput, and may bring fields; a schema without fields is refused', async () => {
    const ask: UserInput = (_prompt, { name }) => ({ blocksInput: `I am ${name}.`, structuredInput: { age: 7 } });
    const msg = await new UserAgent({ name: 'Kid', input: { handleInput: ask } }).call();
    expect([msg.getTextContent(), msg.getStructuredData()]).toEqual(['I am Kid.', { age: 7 }]);
    expect(() => new TerminalUserInput({ schema: { type: 'string' } })).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option: 'schema' } }));
  });
});

describe.skipIf(noTerminal !== undefined)('on a terminal', () => {
  test('lines are edited, history comes back, wide characters count as two, and what is pasted is one answer', async () => {
    const terminal = await openTerminal([process.execPath, PROGRAM, '4'], { cwd: tmpdir() });
    await terminal.shows(/Ann>$/);
    await terminal.type('helo 世界');
    await terminal.press('Home', 'Right', 'Right', 'Right');
    await terminal.type('l');
    await terminal.press('Enter');
    await terminal.shows('{"said":"hello 世界"}\nAnn>');
    await terminal.press('Up', 'Enter');
    await terminal.shows(/("said":"hello 世界"[^]*){2}Ann>$/);
    await terminal.paste('line 1\nline 2\n');
    await terminal.type('end');
    await terminal.press('Enter');
    await terminal.shows('{"said":"line 1\\nline 2\\nend"}');
    await terminal.press('C-d');
    const screen = await terminal.shows('agent/input-closed');
    expect(await terminal.ended()).toBe(0);
    await expect(`${screen}\n`).toMatchFileSnapshot('fixtures/person-screen.txt');
  });

  test('Ctrl-C ends the program as it does everywhere', async () => {
    const terminal = await openTerminal(['sh', '-c', `"${process.execPath}" "${PROGRAM}" 1; echo "left with $?"; stty -a | grep -o -- "-*icanon"`], { cwd: tmpdir() });
    await terminal.shows(/Ann>$/);
    await terminal.press('C-c');
    expect(await terminal.shows(/left with 130\s+icanon/)).not.toContain('-icanon');
  });

  test('an abort gives the prompt up; what was typed until then stands at the next one', async () => {
    const terminal = await openTerminal([process.execPath, PROGRAM, '1', 'abort'], { cwd: tmpdir() });
    await terminal.shows(/Ann>$/);
    await terminal.type('so far');
    await terminal.shows(/given up: TimeoutError\nAnn> so far/);
    await terminal.type(' so good');
    await terminal.press('Enter');
    await terminal.shows('{"said":"so far so good"}');
    expect(await terminal.ended()).toBe(0);
  });
});

async function onPipe(args: readonly string[], input: string): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stdin.on('error', () => undefined).end(input);
  await new Promise((resolve) => child.on('close', resolve));
  return printed;
}

function answersOf(printed: string): unknown[] {
  return Array.from(printed.matchAll(/\{.*\}$/gm), ([json]) => JSON.parse(json) as unknown);
}
