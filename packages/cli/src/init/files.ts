/** A file of a new project. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

/** A small project: an agent with one tool, a test of it, a program that talks to it. `core`: which version of the library. */
export function projectFiles({ name, core }: { readonly name: string; readonly core: string }): readonly ProjectFile[] {
  return [
    { path: 'package.json', text: `${JSON.stringify(manifest({ name, core }), null, 2)}\n` },
    { path: 'tsconfig.json', text: `${JSON.stringify(TSCONFIG, null, 2)}\n` },
    { path: '.gitignore', text: 'node_modules/\ndist/\n.agentscope/\n' },
    { path: 'agentscope.config.json', text: '{\n  "model": "offline:demo"\n}\n' },
    { path: 'src/weather.ts', text: WEATHER },
    { path: 'src/agent.ts', text: AGENT },
    { path: 'src/main.ts', text: MAIN },
    { path: 'src/agent.test.ts', text: TEST },
    { path: 'README.md', text: readme(name) },
  ];
}

function manifest({ name, core }: { readonly name: string; readonly core: string }): object {
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: { build: 'tsc', start: 'npm run --silent build && node dist/main.js', test: 'npm run --silent build && node --test dist/*.test.js' },
    dependencies: { '@agentscope/core': `^${core}` },
    devDependencies: { '@types/node': '^22.0.0', typescript: '>=5.9.0' },
  };
}

const TSCONFIG = {
  compilerOptions: { target: 'es2023', module: 'nodenext', strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: true, types: ['node'], rootDir: 'src', outDir: 'dist' },
  include: ['src'],
};

const WEATHER = `import { defineTool } from '@agentscope/core';

/** What the agent can look up. The schema gives \`execute\` its types. */
export const weather = defineTool({
  name: 'weather',
  description: 'Tells the current weather of a city.',
  input: { type: 'object', properties: { city: { type: 'string', description: 'For example Paris.' } }, required: ['city'] },
  readOnly: true, // it may run again, and beside others
  execute: ({ city }) => \`\${city}: sunny, 21 °C\`,
});
`;

const AGENT = `import { ReActAgent } from '@agentscope/core';
import type { ChatModel, Session } from '@agentscope/core';
import { weather } from './weather.js';

export interface Parts {
  /** Default: AGENTSCOPE_MODEL, else the offline model, which needs neither a key nor a network. */
  model?: ChatModel | string;
  /** Where conversations are kept. Default: in memory. */
  session?: Session;
}

export function createAgent({ model = process.env['AGENTSCOPE_MODEL'] ?? 'offline:demo', session }: Parts = {}): ReActAgent {
  return new ReActAgent({ name: 'Friday', sysPrompt: 'You are a helpful assistant. Ask the tools before you answer.', model, toolkit: [weather], session });
}
`;

const MAIN = `import { JsonSession } from '@agentscope/core/store/file';
import { createAgent } from './agent.js';

const question = process.argv.slice(2).join(' ') || 'What is the weather in Paris?';
const agent = createAgent({ session: new JsonSession('.agentscope/sessions') });

for await (const text of agent.streamEvents(question, { sessionId: 'main' }).text()) process.stdout.write(text);
process.stdout.write('\\n');
`;

const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptedModel } from '@agentscope/core/testing';
import { createAgent } from './agent.js';
import { weather } from './weather.js';

test('the tool', async () => {
  assert.equal(await weather.run({ city: 'Paris' }), 'Paris: sunny, 21 °C');
});

test('the agent asks the tool, and answers', async () => {
  const model = scriptedModel({ tool: 'weather', input: { city: 'Paris' } }, 'It is sunny in Paris.');
  const reply = await createAgent({ model }).call('What is the weather in Paris?');
  assert.equal(reply.getTextContent(), 'It is sunny in Paris.');
  assert.deepEqual(reply.getToolCalls().map(({ call, result }) => [call.name, result?.state]), [['weather', 'success']]);
});
`;

function readme(name: string): string {
  return `# ${name}

\`\`\`sh
npm install
npm test      # the agent with a scripted model: no key, no network
npm start     # asks the agent; with another question: npm start -- "What is the weather in Oslo?"
\`\`\`

Without a key an offline model answers, which follows simple rules. For a real one set \`AGENTSCOPE_MODEL\` and the key of its provider, for example
\`AGENTSCOPE_MODEL=openai:gpt-5.5\` and \`OPENAI_API_KEY\`.

| file | has |
|---|---|
| \`src/weather.ts\` | the tool |
| \`src/agent.ts\` | the agent |
| \`src/agent.test.ts\` | its test |
| \`src/main.ts\` | the program |
`;
}
