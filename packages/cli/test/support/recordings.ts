import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { json, sse, streamed } from './chat-server.ts';
import type { Answer } from './chat-server.ts';

/** What a correct reader ends up with. */
export interface Truth {
  readonly text: string;
  readonly refusal?: string;
  readonly reasoning: string;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly args: object }[];
}
export interface Recording {
  readonly name: string;
  readonly answer: Answer;
  readonly truth: Truth;
}

const root = process.env['AGENTSCOPE_SHARED'] ?? fileURLToPath(new URL('../../../../../shared', import.meta.url));
const folder = `${root}/fixtures/providers`;
const PROVIDERS = ['openai-chat', 'openai-compatible', 'groq', 'xai', 'moonshotai', 'deepseek', 'alibaba'];

/** Whether the recordings are here. */
export const hasRecordings: boolean = existsSync(folder);

/** Every recorded Chat Completions answer that is no error. */
export function recordings(): readonly Recording[] {
  return hasRecordings ? PROVIDERS.flatMap(recordingsOf) : [];
}

function recordingsOf(provider: string): readonly Recording[] {
  const truths = readdirSync(`${folder}/${provider}`).filter((file) => file.endsWith('.truth.json'));
  return truths.flatMap((file) => {
    const { wire, responses } = JSON.parse(readFileSync(`${folder}/${provider}/${file}`, 'utf8')) as { wire: string; responses: readonly Truth[] };
    const [truth] = responses;
    if (truth === undefined || !wire.startsWith('chat-')) return [];
    const name = `${provider}/${file.replace('.truth.json', '')}`;
    return [{ name, truth, answer: answerOf(name) }];
  });
}

/** By the framing the README beside the files gives. */
function answerOf(name: string): Answer {
  const text = readFileSync(`${folder}/${name}`, 'utf8');
  if (name.endsWith('.json')) return json(text);
  if (name.endsWith('.sse')) return sse(text);
  return streamed(...text.split('\n').filter((line) => line !== ''));
}
