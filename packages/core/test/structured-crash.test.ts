// Real processes, killed in the middle of a reply that owes data; the next one knows nothing of the schema.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** The built package, as a program of its own has it. */
const entry = (name: string): string => JSON.stringify(new URL(`../dist/${name}`, import.meta.url).href);

/** Asks, and is killed where its script or its tool says so; without a schema it goes on with what the folder holds. */
const PROGRAM = `
import { defineTool, ReActAgent } from ${entry('index.js')};
import { JsonSession } from ${entry('store/file/index.js')};
import { scriptedModel } from ${entry('testing/index.js')};

const { script, schema, dies = false } = JSON.parse(process.argv[2]);
const execute = () => (dies && process.kill(process.pid, 'SIGKILL'), 'seven');
const look = defineTool({ name: 'look', description: 'Looks.', readOnly: true, execute });
const agent = new ReActAgent({ name: 'F', model: scriptedModel(...script), toolkit: [look], session: new JsonSession('sessions') });
const reply = await agent.call(schema ? 'n?' : undefined, { schema });
console.log(JSON.stringify([reply.generateReason, reply.getStructuredData(), reply.getToolCalls().map(({ call, result }) => call.name + ' ' + result?.state)]));
`;
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const give = (n: unknown) => ({ tool: 'generate_response', input: { n } });
const crash = { crash: true };

const DEATHS: readonly { readonly where: string; readonly first: object; readonly next: readonly object[]; readonly calls: readonly string[] }[] = [
  { where: 'while the model speaks', first: { script: [[{ text: 'Let me' }, crash]] }, next: [give(7)], calls: ['generate_response success'] },
  { where: 'while the model gives the answer', first: { script: [[give(6), crash]] }, next: [give(7)], calls: ['generate_response success'] },
  { where: 'in a tool beside the answer', first: { script: [[{ tool: 'look' }, give(7)]], dies: true }, next: [], calls: ['look success', 'generate_response success'] },
  { where: 'after a wrong answer, before the next', first: { script: [give('x'), [crash]] }, next: [give(7)], calls: ['generate_response error', 'generate_response success'] },
  { where: 'after the reminder', first: { script: ['Seven.', [crash]] }, next: [give(7)], calls: ['generate_response success'] },
];

test.for(DEATHS)('killed $where, and gone on with: it ends as data', { timeout: 30_000 }, async ({ first, next, calls }) => {
  const folder = mkdtempSync(join(tmpdir(), 'agentscope-structured-crash-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'program.mjs'), PROGRAM);
  expect(await run(folder, { ...first, schema })).toEqual({ signal: 'SIGKILL', output: '' });
  const { signal, output } = await run(folder, { script: next });
  expect([signal, JSON.parse(output)]).toEqual([null, ['STRUCTURED_OUTPUT', { n: 7 }, calls]]);
});

function run(folder: string, plan: object): Promise<{ readonly signal: string | null; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(folder, 'program.mjs'), JSON.stringify(plan)], { cwd: folder, timeout: 20_000 }, (error, output) => resolve({ signal: error?.signal ?? null, output }));
  });
}
