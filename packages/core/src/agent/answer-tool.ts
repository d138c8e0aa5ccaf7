import type { StandardSchema } from '../internal/index.ts';
import { defineTool } from '../tool/index.ts';
import type { AnyTool } from '../tool/index.ts';
import type { AnswerSchema, CheckedAnswer } from './answer-schema.ts';

/** The tool by whose arguments a model answers, as in AgentScope Java. */
export const ANSWER_TOOL = 'generate_response';

export type AcceptedAnswer = Extract<CheckedAnswer, { ok: true }>;

/** Arguments that do not fit are an error result like those of any tool, so the model is told what is wrong with them. */
export function answerTool(schema: AnswerSchema, onAccepted: (toolCallId: string, answer: AcceptedAnswer) => void): AnyTool {
  return defineTool({
    name: ANSWER_TOOL,
    description: 'Gives the final answer. Call it once, when nothing else is left to do: its arguments are the answer.',
    input: standardSchema(schema),
    readOnly: true,
    execute: (answer, { toolCallId }) => {
      onAccepted(toolCallId, answer);
      return 'The answer was accepted.';
    },
  });
}

/** What the model is shown, and the check behind it, as one schema. */
function standardSchema({ asked, check }: AnswerSchema): StandardSchema<unknown, AcceptedAnswer> {
  return {
    '~standard': {
      version: 1,
      vendor: 'agentscope',
      jsonSchema: { input: () => asked },
      validate: async (value) => {
        const checked = await check(value);
        return checked.ok ? { value: checked } : { issues: checked.issues.map(({ path, message }) => ({ message, path: path === '' ? [] : [path] })) };
      },
    },
  };
}
