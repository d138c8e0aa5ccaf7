import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GENERATED_TOOLS, generatedHistory, growingHistory } from '../../../test/generated-histories.ts';
import type { Msg } from '../../message/index.ts';
import type { GenerateOptions, ToolChoice } from '../../model/index.ts';
import { validateAnthropicRequest } from '../../testing/validators/anthropic.ts';
import { AnthropicChatFormatter } from './formatter.ts';
import { requestText } from './request.ts';
import type { AnthropicThinking } from './thinking.ts';

const modelName = 'm';

const options: fc.Arbitrary<GenerateOptions> = fc.record(
  {
    temperature: fc.constantFrom(0, 0.7, 1.5),
    topP: fc.constantFrom(0.5, 0.99),
    topK: fc.constantFrom(1, 40),
    maxTokens: fc.constantFrom(1, 100, 20_000),
    seed: fc.constant(1),
    frequencyPenalty: fc.constant(0.1),
    thinkingBudget: fc.constantFrom(0, 10, 2000, 30_000),
    reasoningEffort: fc.constantFrom('none', 'minimal', 'low', 'high'),
    parallelToolCalls: fc.boolean(),
    cacheControl: fc.constantFrom<boolean | '5m' | '1h'>(true, false, '5m', '1h'),
  },
  { requiredKeys: [] },
);
const choice = fc.constantFrom<ToolChoice | undefined>(undefined, 'auto', 'none', 'required', { tool: '查询' }, { tool: 'ns.read:file' });
const thinking = fc.constantFrom<AnthropicThinking | undefined>(undefined, 'adaptive', 'enabled', 'disabled');
const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 }, at: { oneOf: [{ type: 'string', format: 'x' }, { type: 'null' }] } } } as const;

test('I5 S4-009 S4-046 whatever the history and the options, the request obeys the rules of the API, and the history stays as it was', () => {
  let withCalls = 0;
  let withThinking = 0;
  let whileThinking = 0;
  const formatter = new AnthropicChatFormatter();
  fc.assert(
    fc.property(generatedHistory, fc.boolean(), choice, options, thinking, fc.boolean(), (messages, hasTools, toolChoice, given, wanted, hasFormat) => {
      const tools = hasTools ? GENERATED_TOOLS : [];
      const before = JSON.stringify(messages.map(({ role, name, content }) => [role, name, content]));
      const wire = formatter.format(messages, { tools, modelName });
      const text = requestText({ messages, tools, toolChoice, options: given, ...(hasFormat ? { responseFormat: { name: 'x', schema } } : {}) }, { modelName, stream: true, thinking: wanted, wire });
      expect(validateAnthropicRequest(JSON.parse(text))).toEqual([]);
      expect(JSON.stringify(messages.map(({ role, name, content }) => [role, name, content]))).toBe(before);
      if (text.includes('"tool_result"')) withCalls++;
      const isThought = text.includes('"signature":') || text.includes('"redacted_thinking"');
      if (isThought) withThinking++;
      if (isThought && /"thinking":\{"type":"(?:en|ad)/.test(text)) whileThinking++;
    }),
    { numRuns: 2000 },
  );
  expect([withCalls > 300, withThinking > 100, whileThinking > 30]).toEqual([true, true, true]);
});

test('I11 the request up to the last model call is, byte for byte, the beginning of the next one', () => {
  fc.assert(
    fc.property(growingHistory, (histories) => {
      const kept = new AnthropicChatFormatter();
      const texts = histories.map((messages) => textOf(messages, kept));
      expect(texts).toEqual(histories.map((messages) => textOf(messages, new AnthropicChatFormatter())));
      texts.forEach((text, at) => expect(at === 0 || text.startsWith(upToLastCall(texts[at - 1] ?? ''))).toBe(true));
    }),
    { numRuns: 300 },
  );
});

function textOf(messages: readonly Msg[], formatter: AnthropicChatFormatter): string {
  return requestText({ messages, tools: GENERATED_TOOLS }, { modelName, stream: true, thinking: undefined, wire: formatter.format(messages, { tools: GENERATED_TOOLS, modelName }) });
}

/** Without the closing brackets of the last message and of the body. */
function upToLastCall(text: string): string {
  expect(text.endsWith(']}]}')).toBe(true);
  return text.slice(0, -4);
}
