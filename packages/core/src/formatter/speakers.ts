import { AgentScopeError } from '../error/index.ts';
import { Msg } from '../message/index.ts';
import type { ContentBlock, MediaBlock, TextBlock } from '../message/index.ts';
import { createBlockMemo } from './block-memo.ts';
import { isMedia } from './media.ts';
import { unique } from './names.ts';
import { cutRounds } from './rounds.ts';
import type { Round, Said, Segment } from './rounds.ts';
import { labelOf, withoutTags, writtenSpeech } from './speech.ts';
import type { SpeechFrame, SpokenBlock } from './speech.ts';
import { isBlank } from './text.ts';

/** How a conversation of several speakers is written out. */
export interface MultiAgentOptions {
  /** Stands once, before the first of what was said. Default: a line and a sentence that say what the tags hold. `''`: nothing. */
  readonly historyHeading?: string | undefined;
  /** Name of the tags around what was said: letters, digits, `_` and `-`. Default `history`. Other: `config/invalid`. */
  readonly historyTag?: string | undefined;
  /** Name of the agent that is asked: what it says beside its tool calls stays beside them. Default: the first one that calls a tool. */
  readonly self?: string | undefined;
}

/**
 * Stored messages of many speakers to messages a chat formatter takes for one user and one assistant. Leading and later system messages,
 * model calls that used tools, and reminders of the framework stay as they are. Everything said between them becomes one message of the
 * user: a line `name: text` for each message, between tags, media in their place. A line of text that goes on is indented and tags in it
 * are broken, so nobody can speak for another one.
 *
 * What did not change is the same object as last time, and what is said next only adds to the end.
 */
export function createSpeechWriter(options: MultiAgentOptions = {}): (messages: readonly Msg[]) => readonly Msg[] {
  const frame = frameOf(options);
  const memo = createBlockMemo<readonly ContentBlock[]>();
  return (messages) => {
    const written: Msg[] = [];
    let isFirst = true;
    for (const { kept, speech } of runsOf(messages, { tag: frame.tag, self: options.self })) {
      if (speech.length > 0) {
        const names = [String(isFirst), ...speech.map(({ label, message: number }) => `${number}:${label}`)];
        written.push(message('USER', null, memo(speech.map(({ block }) => block), names, () => writtenSpeech(speech, frame, isFirst))));
        isFirst = false;
      }
      if (kept !== undefined) written.push(kept);
    }
    return written;
  };
}

/** @throws AgentScopeError `config/invalid` (option `historyTag`) */
function frameOf({ historyTag: tag = 'history', historyHeading: heading }: MultiAgentOptions): SpeechFrame {
  if (!/^[\w-]{1,64}$/.test(tag)) throw new AgentScopeError('config/invalid', 'The option "historyTag" of a multi-agent formatter is 1 to 64 letters, digits, "_" or "-".', { details: { option: 'historyTag' } });
  return { tag, heading: heading ?? `# Conversation so far\nBetween <${tag}> and </${tag}> stands what was said, each line beginning with the name of its speaker.` };
}

/** What was said, and the message that ended it, if one did. */
interface Run {
  readonly speech: readonly SpokenBlock[];
  readonly kept: Msg | undefined;
}

function runsOf(messages: readonly Msg[], { tag, self }: { tag: string; self: string | undefined }): readonly Run[] {
  const labels = new Labels();
  const runs: Run[] = [];
  let speech: SpokenBlock[] = [];
  let own = self;
  let leads = true;
  cutRounds(messages).forEach((segment, number) => {
    leads &&= segment.kind === 'system';
    const kept = keptMessage(segment, leads ? undefined : tag);
    const isCalling = kept?.role === 'ASSISTANT';
    if (isCalling) own ??= segment.name ?? '';
    const speaks = kept === undefined || (isCalling && (segment.name ?? '') !== own);
    if (speaks) speech.push(...spokenIn(segment, labels, number));
    if (kept === undefined) return;
    runs.push({ speech, kept: speaks ? withoutSpeech(kept) : kept });
    speech = [];
  });
  return [...runs, { speech, kept: undefined }];
}

/** Nothing for what is speech. `tag`: broken in system messages and reminders; those that lead the conversation may speak of it. */
function keptMessage(segment: Segment, tag: string | undefined): Msg | undefined {
  if (segment.kind === 'round') return segment.calls.length > 0 ? message('ASSISTANT', segment.name, answered(segment)) : undefined;
  const isSystem = segment.kind === 'system';
  if (!isSystem && !isReminder(segment)) return undefined;
  const blocks = tag === undefined ? segment.blocks : segment.blocks.map((block) => untagged(block, tag));
  return message(isSystem ? 'SYSTEM' : 'USER', isSystem ? segment.name : null, blocks);
}

/** The same object where no tag is in it. */
function untagged(block: ContentBlock, tag: string): ContentBlock {
  const text = block.type === 'text' ? block.text : block.type === 'hint' && typeof block.hint === 'string' ? block.hint : '';
  const plain = withoutTags(text, tag);
  if (plain === text) return block;
  return block.type === 'hint' ? { ...block, hint: plain } : ({ ...block, text: plain } as ContentBlock);
}

/** What a person steers with is speech; what the framework reminds of is none. */
function isReminder({ kind, source }: Said): boolean {
  return kind === 'hint' && (source === null || source === undefined || source === '' || source === 'agentscope');
}

function answered({ blocks, calls }: Round): readonly ContentBlock[] {
  return [...blocks, ...calls.flatMap(({ result }) => result ?? [])];
}

/** Another agent's calls and results, what it said beside them being written out already. */
function withoutSpeech(kept: Msg): Msg {
  return message(kept.role, kept.name, kept.content.filter((block) => block.type === 'tool_use' || block.type === 'tool_result'));
}

function spokenIn(segment: Segment, labels: Labels, message: number): readonly SpokenBlock[] {
  const blocks = segment.blocks.flatMap(spoken);
  return blocks.length === 0 ? [] : blocks.map((block) => ({ block, label: labels.of(segment), message }));
}

function spoken(block: ContentBlock): readonly (TextBlock | MediaBlock)[] {
  if (isMedia(block)) return [block];
  if (block.type === 'hint') return typeof block.hint === 'string' ? spoken({ type: 'text', text: block.hint }) : block.hint.flatMap(spoken);
  return block.type === 'text' && !isBlank(block.text) ? [block] : [];
}

/** Speakers by their names, or where they have none by their side, told apart by a number where two are written alike, in order of appearance. */
class Labels {
  readonly #known = new Map<string, string>();
  readonly #taken = new Set<string>();

  of(segment: Segment): string {
    const name = segment.kind === 'hint' ? (segment.source ?? null) : segment.name;
    const key = name === null || isBlank(name) ? (segment.kind === 'round' ? 'assistant' : 'user') : name;
    let label = this.#known.get(key);
    if (label === undefined) {
      label = unique(labelOf(key), this.#taken);
      this.#known.set(key, label);
      this.#taken.add(label);
    }
    return label;
  }
}

function message(role: Msg['role'], name: string | null, content: readonly ContentBlock[]): Msg {
  return Msg.from({ id: '', role, name, content, metadata: {}, timestamp: null, usage: null });
}
