import { describeIssues } from '../internal/index.ts';
import type { JsonSchema, SchemaIssue } from '../internal/index.ts';
import { ANSWER_TOOL } from './answer-tool.ts';
import type { Rung } from './ladder.ts';

/** Why an answer does not count, in words for the model. `issues` undefined: it holds no data at all. */
export function problemOf(issues: readonly SchemaIssue[] | undefined, { isCut }: { readonly isCut: boolean }): string {
  if (isCut) return 'It was cut off by the output limit; a shorter one is needed.';
  if (issues === undefined) return 'It is not the data that was asked for.';
  return `It does not fit the schema. ${describeIssues(issues)}.`;
}

/** What the model is told before it is asked again. */
export function reminderOf(problem: string, rung: Rung, asked: JsonSchema): string {
  return `Your last answer does not count. ${problem} ${howTo(rung, asked)}`;
}

export function howTo(rung: Rung, asked: JsonSchema): string {
  switch (rung) {
    case 'native':
      return 'Answer again, with JSON that fits the schema.';
    case 'forced':
    case 'auto':
      return `Answer by calling ${ANSWER_TOOL}.`;
    case 'prompt':
      return `Answer with JSON alone, without any other words and without calling ${ANSWER_TOOL}. It has to fit this JSON Schema: ${JSON.stringify(asked)}`;
  }
}
