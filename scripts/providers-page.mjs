// Writes docs/guides/providers-compared.md: what each server takes, out of the profiles that decide it. Needs a build.
//
//   npm run docs:providers
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DEEPSEEK } from '../packages/core/dist/provider/deepseek/profile.js';
import { GLM } from '../packages/core/dist/provider/glm/profile.js';
import { KIMI } from '../packages/core/dist/provider/kimi/profile.js';
import { MINIMAX } from '../packages/core/dist/provider/minimax/profile.js';
import { PROFILES } from '../packages/core/dist/provider/openai/profile.js';
import { XAI } from '../packages/core/dist/provider/xai/profile.js';

const OWN = [['OpenAI', PROFILES.openai], ['DeepSeek', DEEPSEEK], ['GLM', GLM], ['Kimi', KIMI], ['MiniMax', MINIMAX], ['xAI', XAI]];
const BY_PROFILE = Object.entries(PROFILES).filter(([name]) => name !== 'openai').map(([name, profile]) => [`\`${name}\``, profile]);

/** Other protocols have no profile of this kind; what their formatters do, in the words of the rows below. */
const OTHERS = {
  protocol: ['Responses', 'Messages', 'generateContent', 'Ollama chat'],
  'pictures': ['address', 'address', 'bytes', 'bytes'],
  'media in results of tools': ['stay', 'stay', 'stay from Gemini 3 on', 'behind all results'],
  'forced tool choice': ['yes', 'yes', 'yes', 'no'],
  'answers kept to a schema': ['yes', 'by model', 'yes', 'yes'],
  'thinking goes back': ['encrypted', 'signed', 'signature on its part', 'no'],
};

const ROWS = [
  ['length of the answer', (p) => `\`${p.lengthField}\``],
  ...Object.keys(PROFILES.compatible.options).map((name) => [`\`${name}\``, (p) => option(p.options[name])]),
  ['thinking is asked for by', (p) => ({ effort: '`reasoning_effort`', switch: '`thinking`', none: 'the model\'s name' })[p.thinking.control]],
  ['thinking goes back', (p) => (p.replay.thinking === 'never' ? 'no' : `${p.replay.thinking === 'always' ? 'always' : 'with calls, behind results'} (\`${p.replay.field}\`)`)],
  ['empty thinking is said', (p) => yes(p.replay.empty)],
  ['thinking between tags', (p) => yes(p.thinkTags)],
  ['forced tool choice', (p) => ({ any: 'yes', 'not thinking': 'while it does not think', 'named, not thinking': 'by name, while it does not think', auto: 'no', never: 'no' })[p.toolChoice]],
  ['no tool', (p) => (p.noTool === 'tool_choice' ? '`tool_choice`' : 'tools left out')],
  ['a format becomes', (p) => ({ schema: p.strict ? 'a strict schema' : 'a schema', object: 'JSON, the schema told', none: 'the schema told' })[p.format]],
  ['known to keep to it', (p) => yes(p.structured)],
  ['pictures', (p) => p.media.image],
  ['sound', (p) => p.media.audio],
  ['films', (p) => p.media.video],
  ['PDF', (p) => p.media.pdf],
  ['names of speakers', (p) => yes(p.names)],
  ['beside calls without a text', (p) => (p.emptyContent === null ? '`null`' : '`""`')],
  ['models that differ', (p) => p.families.map(({ models }) => `\`${models.replaceAll('|', '\\|')}\``).join('<br>') || 'none'],
];

/** The page as it should be. */
export function providersPage() {
  return `# Providers compared

<!-- Written by scripts/providers-page.mjs out of the profiles: change those, then run \`npm run docs:providers\`. -->

## Their own entries

Servers that speak Chat Completions differ by a profile, and the profile is this table. A range moves what lies outside into it, *left out* leaves an option out; both
warn once (\`onWarning\`). Models that differ from the rest of their provider are in the last row: the first pattern that matches a name counts.

${table(OWN)}

## Profiles of \`OpenAIChatModel\`

${table(BY_PROFILE)}

## Other protocols

These have no profile: the protocol decides. The rows are those on which it matters for an agent that [changes its model](models.md#switching-in-the-middle).

${grid([['', 'OpenAI Responses', 'Anthropic', 'Gemini', 'Ollama'], ...Object.entries(OTHERS).map(([name, cells]) => [name, ...cells])])}
`;
}

function table(servers) {
  return grid([['', ...servers.map(([name]) => name)], ...ROWS.map(([title, cell]) => [title, ...servers.map(([, profile]) => cell(profile))])]);
}

function grid([head, ...rows]) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function option(rule) {
  return rule === true ? 'sent' : rule === false ? 'left out' : rule === 'refused' ? 'refused' : `${rule[0]} to ${rule[1]}`;
}

function yes(value) {
  return value ? 'yes' : 'no';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(new URL('../docs/guides/providers-compared.md', import.meta.url), providersPage());
