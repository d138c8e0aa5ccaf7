import type { ModelRequest, ToolSchema } from '../../model/index.ts';

/** What is known of an answer before its body is read. */
export interface AnswerOf {
  readonly provider: string;
  readonly status: number;
  readonly headers: Headers;
  /** As it was sent, the defaults of the model in its options. */
  readonly request: ModelRequest;
  /** The tools of the request, whose names come back in their wire form. */
  readonly tools: readonly ToolSchema[] | undefined;
  /** The key of the request, taken out of what an error says. */
  readonly key: string | undefined;
}
