import { createEvent } from '@agentscope/core';
import type { AgentEvent } from '@agentscope/core';
import { expect, test } from 'vitest';
import { priceOf, Usage } from './usage.ts';

const PRICES = { 'a:own': { input: 1, output: 1 }, 'b:cheap': { input: 1, output: 1 }, 'b:dear': { input: 100, output: 100 } };
const call = (type: 'MODEL_CALL_START' | 'MODEL_CALL_END', modelName: string, taskId?: string): AgentEvent => ({
  ...createEvent(type, { replyId: 'r', ...(type === 'MODEL_CALL_START' ? { modelName } : { usage: { inputTokens: 1_000_000, outputTokens: 0 } }) } as never),
  ...(taskId === undefined ? {} : { source: 'main/child', metadata: { taskId } }),
});

test('agents side by side cost what their own models cost; what they are shown is not the context of this conversation', () => {
  const usage = new Usage((modelName) => priceOf(PRICES, { modelId: 'a:own', modelName }));
  for (const event of [call('MODEL_CALL_START', 'own'), call('MODEL_CALL_END', 'own'), call('MODEL_CALL_START', 'cheap', '1'), call('MODEL_CALL_START', 'dear', '2'), call('MODEL_CALL_END', 'cheap', '1'), call('MODEL_CALL_END', 'dear', '2')]) usage.take(event);
  usage.window = 2_000_000;
  expect(usage.words).toBe('3.0M in · 0 out · context 1.0M of 2.0M · cost 102.00');
  usage.forgetContext();
  expect(usage.words).toBe('3.0M in · 0 out · cost 102.00');
});
