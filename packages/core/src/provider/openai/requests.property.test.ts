import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GENERATED_TOOLS, generatedHistory, growingHistory } from '../../../test/generated-histories.ts';
import type { Msg } from '../../message/index.ts';
import type { GenerateOptions, ToolChoice } from '../../model/index.ts';
import { validateOpenAIChatRequest } from '../../testing/validators/openai-chat.ts';
import { OpenAIChatFormatter } from './formatter.ts';
import { PROFILES } from './profile.ts';
import { requestText } from '../shared/chat/index.ts';

const modelName = 'm';
const options: fc.Arbitrary<GenerateOptions> = fc.record(
  { temperature: fc.constantFrom(0, 0.7), topP: fc.constantFrom(0.5, 1), maxTokens: fc.constantFrom(1, 100), seed: fc.constant(1), parallelToolCalls: fc.boolean(), cacheControl: fc.boolean(), reasoningEffort: fc.constant('low') },
  { requiredKeys: [] },
);
const choice = fc.constantFrom<ToolChoice | undefined>(undefined, 'auto', 'none', 'required', { tool: '查询' });
const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 }, at: { oneOf: [{ type: 'string' }, { type: 'null' }] }, list: { type: 'array' } } } as const;

test('I5 S4-009 S4-046 whatever the history and the options, the request obeys the rules of the API, and the history stays as it was', () => {
  let withCalls = 0;
  const formatter = new OpenAIChatFormatter();
  fc.assert(
    fc.property(generatedHistory, fc.boolean(), choice, options, fc.constantFrom(true, false, undefined), fc.boolean(), (messages, hasTools, toolChoice, given, strict, hasFormat) => {
      const tools = hasTools ? GENERATED_TOOLS : [];
      const before = JSON.stringify(messages.map(({ role, name, content }) => [role, name, content]));
      const wire = formatter.format(messages, { tools, modelName });
      const text = requestText({ messages, tools, toolChoice, options: given, ...(hasFormat ? { responseFormat: { name: 'x y', schema } } : {}) }, { modelName, stream: true, profile: PROFILES.openai, strict, messages: wire });
      expect(validateOpenAIChatRequest(withoutExtras(JSON.parse(text)))).toEqual([]);
      expect(JSON.stringify(messages.map(({ role, name, content }) => [role, name, content]))).toBe(before);
      if (text.includes('"tool_call_id"')) withCalls++;
    }),
    { numRuns: 2000 },
  );
  expect(withCalls).toBeGreaterThan(300);
});

test('I11 the request up to the last model call is, byte for byte, the beginning of the next one', () => {
  fc.assert(
    fc.property(growingHistory, (histories) => {
      const kept = new OpenAIChatFormatter();
      const texts = histories.map((messages) => textOf(messages, kept));
      expect(texts).toEqual(histories.map((messages) => textOf(messages, new OpenAIChatFormatter())));
      texts.forEach((text, at) => expect(at === 0 || text.startsWith((texts[at - 1] ?? '').slice(0, -2))).toBe(true));
    }),
    { numRuns: 300 },
  );
});

function textOf(messages: readonly Msg[], formatter: OpenAIChatFormatter): string {
  return requestText({ messages, tools: GENERATED_TOOLS }, { modelName, stream: true, profile: PROFILES.openai, messages: formatter.format(messages, { tools: GENERATED_TOOLS, modelName }) });
}

/** What a server that speaks the protocol put beside a call goes back to it; OpenAI never puts anything there. */
function withoutExtras(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (key, value: unknown) => (key === 'extra_content' ? undefined : value)));
}
