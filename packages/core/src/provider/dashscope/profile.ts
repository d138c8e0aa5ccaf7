import type { NativeStructuredOutput } from '../../model/index.ts';

/** Media a model takes from a user. */
export type DashScopeMediaKind = 'image' | 'audio' | 'video';

/** Thinking that goes back to the model: none, that of turns with tool calls, or all. */
export type DashScopeReplay = 'none' | 'calls' | 'all';

/** What is known of a model by its name; every fact can be overruled by an option, since names age fast. */
export interface DashScopeProfile {
  /** Served at the multimodal endpoint, which takes content in parts and nothing else. */
  readonly multimodal: boolean;
  readonly input: readonly DashScopeMediaKind[];
  /** Cannot be asked not to think. */
  readonly alwaysThinks: boolean;
  /** Thinks when nothing is said of it, and refuses to where the answer is not streamed. */
  readonly thinksUnasked: boolean;
  readonly replay: DashScopeReplay;
  /** Keeps answers to a JSON schema; beside tools nobody promises it. */
  readonly structured: NativeStructuredOutput;
}

/** DashScope keeps this name for a tool of its own. */
export const RESERVED_NAMES: readonly string[] = ['search'];

const NEWEST = /^qwen3\.[5-9]/;
const LISTENS = /-(?:asr|audio)/;
const SEES = /^qvq|-vl\b|^kimi-k2\.[5-9]/;

export function profileFor(modelName: string): DashScopeProfile {
  const name = modelName.toLowerCase();
  const isNewest = NEWEST.test(name);
  const multimodal = LISTENS.test(name) || SEES.test(name) || (isNewest && !name.includes('max'));
  const alwaysThinks = /^q[wv]q|-thinking/.test(name);
  return {
    multimodal,
    input: inputOf(name, multimodal),
    alwaysThinks,
    thinksUnasked: /^qwen3-\d+(?:\.\d+)?b(?:-a\d+b)?$/.test(name),
    replay: name.startsWith('kimi-') ? 'calls' : 'none',
    structured: isNewest && !alwaysThinks ? 'without-tools' : false,
  };
}

function inputOf(name: string, multimodal: boolean): readonly DashScopeMediaKind[] {
  if (!multimodal || name.includes('omni')) return ['image', 'audio', 'video']; // asked for by option: nothing is known of it
  return LISTENS.test(name) ? ['audio'] : ['image', 'video'];
}
