import type { NativeStructuredOutput } from '../../model/index.ts';

/** What differs between generations of Gemini. */
export interface GeminiProfile {
  /** From Gemini 3 on: the first call of a step must bring a thought signature, results may hold media, thinking has levels. */
  readonly isThird: boolean;
  /** Gemma has no system instruction. */
  readonly hasSystem: boolean;
  /** Takes JSON output and tools in one request. */
  readonly jsonWithTools: boolean;
  /** Keeps an answer to a schema; before Gemini 3 not beside tools. */
  readonly structured: NativeStructuredOutput;
}

/** By name, without what may stand before it (`models/`, a publisher). Names that say no number count as the newest. */
export function profileFor(modelName: string): GeminiProfile {
  const name = bareName(modelName);
  const version = /^gemini-(\d+)/.exec(name)?.[1];
  const isThird = version === undefined ? /^gemini\b.*latest$/.test(name) : Number(version) >= 3;
  const structured = isThird || (name.startsWith('gemini') && 'without-tools');
  return { isThird, hasSystem: !name.startsWith('gemma'), jsonWithTools: isThird, structured };
}

export function bareName(modelName: string): string {
  return modelName.slice(modelName.lastIndexOf('/') + 1);
}
