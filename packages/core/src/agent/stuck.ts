import { canonicalJson } from '../internal/index.ts';
import type { ContentBlock } from '../message/index.ts';

/** So many model calls in a row that end in the same failing call are no progress. */
const TIMES = 3;

/**
 * Name of a tool that failed with the same arguments and the same words in each of the last three model calls; undefined: none did.
 * Model calls up to `since` do not count: after a stop whoever goes on has another three.
 */
export function stuckOn(content: readonly ContentBlock[], since: number): string | undefined {
  let repeated: ReadonlyMap<string, string> | undefined;
  let rounds = 0;
  for (const failures of failuresByRound(content, since)) {
    repeated = repeated === undefined ? failures : new Map([...failures].filter(([key]) => repeated?.has(key)));
    if (repeated.size === 0) return undefined;
    if (++rounds === TIMES) return repeated.values().next().value;
  }
  return undefined;
}

/** Newest model call first: what failed in it, by what it was called with and what it said. */
function* failuresByRound(content: readonly ContentBlock[], since: number): Generator<ReadonlyMap<string, string>, void, undefined> {
  let round: number | undefined;
  const words = new Map<string, string>();
  let failures = new Map<string, string>();
  for (let i = content.length - 1; i >= 0; i--) {
    const block = content[i];
    if (block?.type === 'tool_result' && block.state === 'error') words.set(block.id, canonicalJson(block.output));
    if (block?.type !== 'tool_use' || block.call === undefined || block.call <= since) continue;
    if (round !== undefined && block.call !== round) {
      yield failures;
      failures = new Map();
    }
    round = block.call;
    const said = words.get(block.id);
    if (said !== undefined) failures.set(`${block.name} ${argumentsOf(block)} ${said}`, block.name);
    words.delete(block.id);
  }
  if (round !== undefined) yield failures;
}

/** What did not parse is compared as it was written. */
function argumentsOf({ input, content }: Extract<ContentBlock, { type: 'tool_use' }>): string {
  return Object.keys(input).length > 0 ? canonicalJson(input) : (content ?? '');
}
