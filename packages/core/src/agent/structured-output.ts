import type { ContentBlock } from '../message/index.ts';
import type { ChatModel, ModelRequest, ToolSchema } from '../model/index.ts';
import type { AnyTool } from '../tool/index.ts';
import type { AnswerSchema } from './answer-schema.ts';
import { ANSWER_TOOL, answerTool } from './answer-tool.ts';
import type { AcceptedAnswer } from './answer-tool.ts';
import { Ladder } from './ladder.ts';
import type { Rung, StructuredMode } from './ladder.ts';

export interface StructuredOutputOptions {
  readonly schema: AnswerSchema;
  readonly model: ChatModel;
  readonly mode: StructuredMode;
}

/** Where a reply stands when its next model call is made. */
export interface Asking {
  /** What the toolkit has. */
  readonly tools: readonly ToolSchema[];
  /** Answers that did not fit and got a reminder. */
  readonly reminders: number;
  /** The last call of a reply at its limit: nothing is called any more. */
  readonly isSummary: boolean;
}

/** The answer of a running reply that has to fit a schema: how the model is asked for it, and what was accepted. */
export class StructuredOutput {
  readonly schema: AnswerSchema;
  readonly tool: AnyTool;
  /** What the schema let through, once an answer fits. */
  output: { readonly value: unknown } | undefined;
  readonly #ladder: Ladder;
  readonly #accepted = new Map<string, AcceptedAnswer>();
  /** Of the newest model call. */
  #rung: Rung = 'native';
  /** The tools with ours behind them: the same list lets formatters keep what they made of it. */
  #offer: { readonly of: readonly ToolSchema[]; readonly tools: readonly ToolSchema[] } | undefined;

  constructor({ schema, model, mode }: StructuredOutputOptions) {
    this.schema = schema;
    this.#ladder = new Ladder(mode, model);
    this.tool = answerTool(schema, (toolCallId, answer) => this.#accepted.set(toolCallId, answer));
  }

  /** What a request holds beside its messages. The same in all calls of a reply until an answer does not fit, so prompt caches hold. */
  ask(asking: Asking): Pick<ModelRequest, 'tools' | 'toolChoice' | 'responseFormat'> {
    const { isSummary, reminders } = asking;
    this.#rung = this.rung(asking);
    const tools = this.#toolsFor(this.#rung, asking);
    const mayCall = !isSummary && !(this.#rung === 'prompt' && reminders > 0);
    const toolChoice = !mayCall ? 'none' : this.#rung === 'forced' ? { tool: ANSWER_TOOL } : undefined;
    return {
      ...(tools.length > 0 ? { tools, toolChoice } : {}),
      ...(this.#rung === 'native' ? { responseFormat: { name: 'answer', schema: this.schema.asked } } : {}),
    };
  }

  /** The way the next model call goes. */
  rung({ tools, reminders }: Pick<Asking, 'tools' | 'reminders'>): Rung {
    return this.#ladder.rung({ reminders, hasTools: tools.length > 0 });
  }

  /** True when the model call failed because the server does not know this way: it counts for nothing, and the next one goes another. */
  stepsDown(error: unknown): boolean {
    return this.#ladder.stepsDown(this.#rung, error);
  }

  /** The tool of this reply by that name. */
  lookup(name: string): { readonly tool: AnyTool; readonly problem?: never } | undefined {
    return name === ANSWER_TOOL ? { tool: this.tool } : undefined;
  }

  /** What the tool accepted in this process under this call id. */
  accepted(toolCallId: string): AcceptedAnswer | undefined {
    return this.#accepted.get(toolCallId);
  }

  #toolsFor(rung: Rung, { tools, reminders }: Asking): readonly ToolSchema[] {
    const isOffered = rung === 'forced' || rung === 'auto' || (rung === 'prompt' && reminders > 0 && this.#ladder.hasTool);
    if (!isOffered) return tools;
    if (this.#offer?.of !== tools) {
      const { name, description, inputSchema } = this.tool;
      this.#offer = { of: tools, tools: [...tools, { name, description, inputSchema }] };
    }
    return this.#offer.tools;
  }
}

/** What the last model call said and what came of its calls. */
export function blocksOfCall(content: readonly ContentBlock[], call: number): readonly ContentBlock[] {
  let from = content.length;
  for (let i = content.length - 1; i >= 0; i--) {
    const block = content[i];
    if (block?.call !== undefined && block.call < call) break;
    if (block?.call === call) from = i;
  }
  return content.slice(from);
}
