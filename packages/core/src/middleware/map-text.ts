import type { AgentEvent } from '../event/index.ts';

export interface MapTextOptions {
  /** Characters held back until more of the text is known, 0 or more: as long as what is looked for can be. Default 200. */
  readonly lookbehind?: number | undefined;
}
const LOOKBEHIND = 200;

type TextDelta = Extract<AgentEvent, { type: 'TEXT_BLOCK_DELTA' | 'THINKING_BLOCK_DELTA' | 'TOOL_RESULT_TEXT_DELTA' }>;

/**
 * Rewrites the text in a stream (what a model says and thinks, what tools put out) as if it came in one piece: a match that is cut by
 * the border of two deltas is found as long as it is no longer than `lookbehind`. Everything else passes through, and so does the result.
 */
export async function* mapText<R>(events: AsyncGenerator<AgentEvent, R, undefined>, map: (text: string) => string, { lookbehind = LOOKBEHIND }: MapTextOptions = {}): AsyncGenerator<AgentEvent, R, undefined> {
  const held = new Map<string, { event: TextDelta; text: string }>();
  try {
    for (;;) {
      const step = await events.next();
      if (step.done === true) return step.value;
      const event = step.value;
      const key = keyOf(event);
      if (isTextDelta(event)) {
        const text = (held.get(key)?.text ?? '') + event.delta;
        const cut = settledEnd(text, map, lookbehind);
        held.set(key, { event, text: text.slice(cut) });
        const said = map(text.slice(0, cut));
        if (said !== '') yield { ...event, delta: said };
        continue;
      }
      const rest = isEnd(event) ? held.get(key) : undefined;
      if (rest !== undefined) {
        held.delete(key);
        const said = map(rest.text);
        if (said !== '') yield { ...rest.event, id: '', createdAt: '', delta: said };
      } else if (event.type === 'MODEL_CALL_END') held.clear();
      yield event;
    }
  } finally {
    await events.return(undefined as never);
  }
}

/** How much of the text may go: all but the last characters, and never up to a place that a match lies across. */
function settledEnd(text: string, map: (text: string) => string, lookbehind: number): number {
  const most = text.length - lookbehind;
  if (most <= 0) return 0;
  const whole = map(text);
  for (let cut = most; cut > most - 2 * lookbehind - 2 && cut > 0; cut--) {
    if (isLow(text, cut)) continue; // half of a character
    if (map(text.slice(0, cut)) + map(text.slice(cut)) === whole) return cut;
  }
  return 0;
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

function isTextDelta(event: AgentEvent): event is TextDelta {
  return event.type === 'TEXT_BLOCK_DELTA' || event.type === 'THINKING_BLOCK_DELTA' || event.type === 'TOOL_RESULT_TEXT_DELTA';
}

/** What ends a text: its block, its result, or output of another kind in between. */
function isEnd({ type }: AgentEvent): boolean {
  return type === 'TEXT_BLOCK_END' || type === 'THINKING_BLOCK_END' || type === 'TOOL_RESULT_END' || type === 'TOOL_RESULT_DATA_DELTA';
}

function keyOf(event: AgentEvent): string {
  const id = 'blockId' in event ? event.blockId : 'toolCallId' in event ? event.toolCallId : '';
  return `${event.source ?? ''}\n${String(id)}`;
}
