import { createFold } from '../event/index.ts';
import type { AgentEvent, HintBlockEvent, ModelCallEndEvent, ModelCallStartEvent } from '../event/index.ts';
import { messageTime, Msg, REASON_KEY } from '../message/index.ts';
import type { ContentBlock, MsgData } from '../message/index.ts';
import { pieceOf } from './v1-stream-piece.ts';
import type { V1Event } from './v1-stream-event.ts';

/** Events in, steps and their pieces out. The fold tells what a step has said as a whole. */
export class V1View {
  readonly #incremental: boolean;
  readonly #fold = createFold();
  #type: 'REASONING' | 'SUMMARY' = 'REASONING';
  #call = 0;
  #name: string | null = null;

  constructor(incremental: boolean) {
    this.#incremental = incremental;
  }

  /** What an event says to a reader of AgentScope 1; what children say is the tool's business there. */
  take(event: AgentEvent): readonly V1Event[] {
    if (event.source !== undefined) return [];
    this.#fold.apply(event);
    switch (event.type) {
      case 'AGENT_START':
        this.#name = event.name;
        return [];
      case 'MODEL_CALL_START':
        this.#begin(event);
        return [];
      case 'MODEL_CALL_END':
        return event.metadata?.['discarded'] === true ? [] : [this.#said(event)];
      case 'TEXT_BLOCK_DELTA':
      case 'THINKING_BLOCK_DELTA':
      case 'TOOL_CALL_DELTA':
      case 'DATA_BLOCK_END':
        return [this.#speaking(event)];
      case 'TOOL_RESULT_TEXT_DELTA':
      case 'TOOL_RESULT_DATA_DELTA':
        return [this.#result(event, event.toolCallId, false)];
      case 'TOOL_RESULT_END':
        return event.state === 'running' ? [] : [this.#result(event, event.toolCallId, true)]; // it waits for work elsewhere
      case 'EXTERNAL_EXECUTION_RESULT':
        return event.toolResults.map(({ id }) => this.#result(event, id, true));
      case 'HINT_BLOCK':
        return [this.#hint(event)];
      default:
        return [];
    }
  }

  /** A call that is made again, or rewritten, is the same step. */
  #begin({ metadata }: ModelCallStartEvent): void {
    this.#call = typeof metadata?.['call'] === 'number' ? metadata['call'] : this.#call + 1;
    if (metadata?.['purpose'] !== 'rewrite') this.#type = metadata?.['purpose'] === 'summary' ? 'SUMMARY' : 'REASONING';
  }

  #speaking(event: AgentEvent): V1Event {
    const piece = pieceOf(event);
    const news = piece === undefined ? this.#blocks().filter(({ type }) => type === 'data').slice(-1) : [piece];
    return this.#model(event, { content: this.#incremental ? news : this.#blocks(), isLast: false });
  }

  /** The whole of what the model said; a round with calls is the one place where the reason is `TOOL_CALLS` (WIRE §1.5). */
  #said(event: ModelCallEndEvent): V1Event {
    const content = this.#blocks();
    const calls = content.some(({ type }) => type === 'tool_use');
    return this.#model(event, { content, isLast: true, usage: event.usage ?? null, metadata: calls ? { [REASON_KEY]: 'TOOL_CALLS' } : {} });
  }

  #model(event: AgentEvent, { isLast, ...said }: Partial<MsgData> & Pick<MsgData, 'content'> & { readonly isLast: boolean }): V1Event {
    return { type: this.#type, message: this.#msg(event, String(this.#call), { role: 'ASSISTANT', name: this.#name, ...said }), isLast };
  }

  #result(event: AgentEvent, id: string, isLast: boolean): V1Event {
    const piece = this.#incremental && !isLast ? pieceOf(event) : undefined;
    const whole = (block: ContentBlock): boolean => block.type === 'tool_result' && block.id === id;
    const content = piece === undefined ? (this.#fold.message()?.content.filter(whole).slice(-1) ?? []) : [piece];
    return { type: 'TOOL_RESULT', message: this.#msg(event, id, { role: 'TOOL', name: 'system', content }), isLast };
  }

  #hint(event: HintBlockEvent): V1Event {
    const content: readonly ContentBlock[] = [{ type: 'text', text: event.hint }];
    return { type: 'HINT', message: this.#msg(event, event.blockId, { role: 'USER', name: event.hintSource || null, content }), isLast: true };
  }

  /** What the model said in the call that runs, or ran last. */
  #blocks(): readonly ContentBlock[] {
    return this.#fold.message()?.content.filter(({ type, call }) => call === this.#call && type !== 'tool_result' && type !== 'hint') ?? [];
  }

  #msg({ replyId, createdAt }: AgentEvent, step: string, said: Pick<MsgData, 'role' | 'name' | 'content'> & Partial<MsgData>): Msg {
    return Msg.from({ id: `${replyId ?? ''}-${step}`, metadata: {}, timestamp: messageTime(createdAt) ?? null, usage: null, ...said });
  }
}
