import type { JsonObject } from '../internal/index.ts';
import type { MediaBlock, Metadata, TextBlock, ThinkingBlock, ToolResultState, ToolUseBlock } from '../message/index.ts';
import type { CacheControl } from './cache-control.ts';

/** What a provider is told, in its order: every call is answered, directly after the turn that made it. */
export type Turn = SystemTurn | UserTurn | AssistantTurn | ToolTurn;

export interface SystemTurn {
  readonly role: 'system';
  readonly text: string;
  /** As its last block that says something asks for it. */
  readonly cacheControl?: CacheControl | undefined;
}

export interface UserTurn {
  readonly role: 'user';
  /** The speaker, as stored and as a name every provider takes (distinct for distinct speakers); nothing for hints. */
  readonly name: string | undefined;
  readonly safeName: string | undefined;
  /** Never empty, no blank text. */
  readonly content: readonly (TextBlock | MediaBlock)[];
}

/** One model call: what it said, in order, its calls among it. */
export interface AssistantTurn {
  readonly role: 'assistant';
  readonly name: string | undefined;
  readonly safeName: string | undefined;
  readonly content: readonly (TextBlock | ThinkingBlock | MediaBlock | TurnCall)[];
  readonly calls: readonly TurnCall[];
}

export interface TurnCall {
  readonly type: 'call';
  /** Unique in the request. */
  readonly id: string;
  /** Legal in a request. */
  readonly name: string;
  /** JSON text of an object: the model's own text where it is one, so that prompt caches hold. */
  readonly argumentsText: string;
  readonly input: JsonObject;
  readonly metadata: Metadata;
  readonly block: ToolUseBlock;
}

/** The results of one assistant turn, one per call, in call order. */
export interface ToolTurn {
  readonly role: 'tool';
  readonly results: readonly TurnResult[];
}

export interface TurnResult {
  readonly id: string;
  readonly name: string;
  readonly state: ToolResultState;
  /** Never empty: a result without output says so. */
  readonly content: readonly (TextBlock | MediaBlock)[];
  readonly cacheControl?: CacheControl | undefined;
}
