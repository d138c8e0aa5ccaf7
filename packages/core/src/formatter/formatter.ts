import type { JsonSchema } from '../internal/index.ts';
import type { Msg } from '../message/index.ts';

/** What a formatter has to know of a tool; a `ToolSchema` of the request fits. */
export interface FormatterTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export interface FormatOptions {
  /** The tools of the request: names in the history are mapped as theirs are. */
  readonly tools: readonly FormatterTool[] | undefined;
  readonly modelName: string;
  /** Whether the request lets the model think, where that decides what goes back. Default: what the model does unasked. */
  readonly thinking?: boolean | undefined;
}

/**
 * Stored messages to the `messages` of one provider. Pure: the same messages give equal output, the messages are never changed. What
 * it gives back may be shared with earlier and later calls, so whoever wraps a formatter copies what it changes.
 */
export interface Formatter<Wire = unknown> {
  format(messages: readonly Msg[], options: FormatOptions): Wire;
}
