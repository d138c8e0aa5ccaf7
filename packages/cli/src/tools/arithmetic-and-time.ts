import { defineTool } from '@agentscope/core';
import type { AnyTool } from '@agentscope/core';
import { calculate } from './calculate.ts';
import { clockText, zoneProblem } from './zones.ts';

export const calculator: AnyTool = defineTool({
  name: 'calculator',
  description: 'Evaluates an arithmetic expression and returns the number.',
  input: {
    type: 'object',
    properties: { expression: { type: 'string', description: 'For example 17 * 23, (1 + 2) ^ 3, sqrt(2), min(4, 7). Powers are written ^.' } },
    required: ['expression'],
    additionalProperties: false,
  },
  readOnly: true,
  execute: ({ expression }) => calculate(expression),
});

export const clock: AnyTool = defineTool({
  name: 'clock',
  description: 'Tells the current date and time in a time zone.',
  input: {
    type: 'object',
    properties: { zone: { type: 'string', description: 'IANA time zone, for example Asia/Tokyo. Left out: the zone of this machine.' } },
    additionalProperties: false,
  },
  readOnly: true,
  execute: ({ zone = Intl.DateTimeFormat().resolvedOptions().timeZone }) => {
    const problem = zoneProblem(zone);
    if (problem !== undefined) throw new Error(problem);
    return clockText(new Date(), zone);
  },
});
