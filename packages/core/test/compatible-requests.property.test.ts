import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Msg } from '../src/message/index.ts';
import type { GenerateOptions, ModelRequest, ToolChoice } from '../src/model/index.ts';
import { requestText, rulesFor } from '../src/provider/shared/chat/index.ts';
import { isThinking } from '../src/provider/shared/chat/thinking.ts';
import { FAMILY } from './compatible-family.ts';
import type { FamilyMember } from './compatible-family.ts';
import { GENERATED_TOOLS, generatedHistory, growingHistory } from './generated-histories.ts';

const options: fc.Arbitrary<GenerateOptions> = fc.record(
  { temperature: fc.constantFrom(0, 0.7, 1.9), topP: fc.constantFrom(0, 1), topK: fc.constant(3), maxTokens: fc.constantFrom(1, 100), seed: fc.constant(1), frequencyPenalty: fc.constant(1), presencePenalty: fc.constant(-1), parallelToolCalls: fc.boolean(), cacheControl: fc.boolean(), reasoningEffort: fc.constantFrom('low', 'high', 'xhigh'), thinkingBudget: fc.constantFrom(1024, 9000) },
  { requiredKeys: [] },
);
const choice = fc.constantFrom<ToolChoice | undefined>(undefined, 'auto', 'none', 'required', { tool: '查询' });
const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 }, list: { type: 'array' } }, additionalProperties: false } as const;

function textOf({ profile, modelName, formatter }: FamilyMember, request: ModelRequest, kept = formatter()): string {
  const rules = rulesFor(profile, modelName);
  const messages = kept.format(request.messages, { tools: request.tools, modelName, thinking: isThinking(request.options ?? {}, rules) });
  return requestText(request, { modelName, stream: true, profile: rules, messages });
}

/** What a server put beside a call goes back to it. */
function withoutExtras(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (key, value: unknown) => (key === 'extra_content' ? undefined : value)));
}

/** The same, its thinking this server's own. */
function owned(messages: readonly Msg[], id: string): readonly Msg[] {
  return messages.map(({ id: at, role, name, metadata, timestamp, usage, content }) => Msg.from({ id: at, role, name, metadata, timestamp, usage, content: content.map((block) => (block.type === 'thinking' && block.thinking.length > 2 ? { ...block, metadata: { [id]: { reasoning: true } } } : block)) }));
}

describe.for(FAMILY)('$id', (member) => {
  test('I5 S4-009 S4-046 whatever the history and the options, the request obeys the rules of the server, and the history stays as it was', () => {
    let withCalls = 0;
    const formatter = member.formatter();
    fc.assert(
      fc.property(generatedHistory, fc.boolean(), fc.boolean(), choice, options, fc.boolean(), (history, isOwn, hasTools, toolChoice, given, hasFormat) => {
        const messages = isOwn ? owned(history, member.id) : history;
        const tools = hasTools ? GENERATED_TOOLS : [];
        const before = JSON.stringify(messages.map(({ role, name, content }) => [role, name, content]));
        const text = textOf(member, { messages, tools, toolChoice, options: given, ...(hasFormat ? { responseFormat: { name: 'x y', schema } } : {}) }, formatter);
        expect(member.validate(withoutExtras(JSON.parse(text)))).toEqual([]);
        expect(JSON.stringify(messages.map(({ role, name, content }) => [role, name, content]))).toBe(before);
        if (text.includes('"tool_call_id"')) withCalls++;
      }),
      { numRuns: 1000 },
    );
    expect(withCalls).toBeGreaterThan(150);
  });

  test('I11 the request up to the last model call is, byte for byte, the beginning of the next one', () => {
    fc.assert(
      fc.property(growingHistory, fc.boolean(), (histories, isOwn) => {
        const kept = member.formatter();
        const requests = histories.map((messages) => ({ messages: isOwn ? owned(messages, member.id) : messages, tools: GENERATED_TOOLS }));
        const texts = requests.map((request) => textOf(member, request, kept));
        expect(texts).toEqual(requests.map((request) => textOf(member, request)));
        texts.forEach((text, at) => expect(at === 0 || text.startsWith((texts[at - 1] ?? '').slice(0, -2))).toBe(true));
      }),
      { numRuns: 200 },
    );
  });
});
