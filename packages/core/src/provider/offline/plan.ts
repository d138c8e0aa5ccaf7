import type { JsonObject } from '../../internal/index.ts';
import type { ToolSchema } from '../../model/index.ts';
import { furtherPlaces } from './candidates.ts';
import { fieldsOf } from './fields.ts';
import type { Field } from './fields.ts';
import { fillArguments } from './fill.ts';
import { knowTools, pickTool } from './pick.ts';
import type { Pick } from './pick.ts';
import { Reading } from './reading.ts';
import { wishesOf } from './wishes.ts';
import { stem, wordsOf } from './words.ts';

/** What to do about one wish: call a tool, ask for what is missing, or admit that no tool fits. */
export type Step =
  | { readonly type: 'call'; readonly tool: ToolSchema; readonly input: JsonObject }
  | { readonly type: 'ask'; readonly tool: ToolSchema; readonly missing: readonly Field[] }
  | { readonly type: 'none'; readonly wish: string; /** It is arithmetic, and no tool takes it as it is written. */ readonly isUnread?: boolean };

const MOST_CALLS = 16;

/** One step for each wish of a text, in order; the same call is not made twice. */
export function planFor(text: string, tools: readonly ToolSchema[]): readonly Step[] {
  const known = knowTools(tools);
  const verbs = new Set(tools.flatMap(({ name }) => wordsOf(name).slice(0, 1).map(stem)));
  const steps: Step[] = [];
  const seen = new Set<string>();
  for (const wish of wishesOf(text, verbs)) {
    const pick = withRemark(pickTool(wish, known), steps.at(-1), wish);
    const next = pick === undefined ? [notFound(wish)] : stepsFor(pick);
    for (const step of next) {
      const key = step.type === 'call' ? `${step.tool.name}${JSON.stringify(step.input)}` : step.type === 'ask' ? step.tool.name : wish;
      if (!seen.has(key)) steps.push(step);
      seen.add(key);
    }
  }
  return steps.slice(0, MOST_CALLS);
}

function notFound(wish: string): Step {
  return { type: 'none', wish, ...(new Reading(wish).unreadArithmetic().length > 0 && { isUnread: true }) };
}

/** "I am in Berlin. What time is it?": what a question misses may stand in the sentence before it. */
function withRemark(pick: Pick | undefined, before: Step | undefined, wish: string): Pick | undefined {
  if (pick === undefined || pick.missing.length === 0 || before?.type !== 'none') return pick;
  const joined = fillArguments(`${wish} ${before.wish}`, pick.tool);
  return joined.missing.length === 0 ? { tool: pick.tool, ...joined } : pick;
}

/**
 * One call; several when a tool that needs just a place, zone or expression is given more than one ("in Tokyo and Berlin"). What is
 * arithmetic and cannot be read is said.
 */
function stepsFor({ tool, input, missing, reading }: Pick): readonly Step[] {
  if (missing.length > 0) return [{ type: 'ask', tool, missing }];
  const keys = Object.keys(input);
  const key = keys[0];
  if (keys.length !== 1 || key === undefined) return [{ type: 'call', tool, input }];
  const kind = fieldsOf(tool.inputSchema).find(({ path }) => path.join() === key)?.kind;
  const places = kind === 'zone' ? furtherPlaces(reading) : [];
  const unread = kind === 'expression' ? reading.unreadArithmetic() : [];
  const again = (['expression', 'place'] as const).flatMap((shape) => reading.free(shape)).map(({ start, end }) => ({ start, filled: fillArguments(`in ${reading.text.slice(start, end)}`, tool) }));
  const more = again.filter(({ filled }) => filled.missing.length === 0 && filled.input[key] !== undefined).map(({ start, filled }) => ({ start, input: filled.input }));
  const calls = [{ start: reading.firstUsed, input }, ...more, ...places.map(({ start, value }) => ({ start, input: { [key]: String(value) } }))];
  return [...calls.toSorted((a, b) => a.start - b.start).map((one): Step => ({ type: 'call', tool, input: one.input })), ...unread.map((wish): Step => ({ type: 'none', wish, isUnread: true }))];
}
