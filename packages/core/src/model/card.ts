export type ModelKind = 'text' | 'image' | 'audio' | 'video' | 'file';

/** What is known of a model. Facts age: a model without a card works like any other. */
export interface ModelCard {
  readonly provider: string;
  readonly modelName: string;
  /** For people. */
  readonly label?: string;
  /** Tokens. */
  readonly contextWindow?: number;
  /** Tokens of one answer. */
  readonly maxOutputTokens?: number;
  /** What it takes and what it makes; left out where nobody said. */
  readonly input?: readonly ModelKind[];
  readonly output?: readonly ModelKind[];
}
