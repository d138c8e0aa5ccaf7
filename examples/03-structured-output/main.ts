// The answer as data, together with tools; the type follows from the schema.
// With OPENAI_API_KEY it talks to that API; without, a script stands in for the model.
import assert from 'node:assert/strict';
import { AgentScopeError, defineTool, ReActAgent } from '@agentscope/core';
import { scriptedModel } from '@agentscope/core/testing';
import { z } from 'zod';

const findFlights = defineTool({
  name: 'find_flights',
  description: 'Flights between two cities on a day.',
  // A plain JSON Schema works too, and its literal form is typed without `as const`.
  input: {
    type: 'object',
    properties: { from: { type: 'string' }, to: { type: 'string' }, cabin: { enum: ['economy', 'business'] } },
    required: ['from', 'to'],
  },
  readOnly: true,
  execute: ({ from, to, cabin = 'economy' }) => [{ flight: 'CA 1831', from, to, cabin, priceEur: 540 }],
});

const Trip = z.object({
  summary: z.string(),
  legs: z.array(z.object({ flight: z.string(), priceEur: z.number() })).min(1),
  leave: z.iso.date().transform((text) => new Date(text)),
  hotel: z.string().optional(),
});

const answer = { summary: 'One direct flight.', legs: [{ flight: 'CA 1831', priceEur: 540 }], leave: '2026-12-24' };
const script = scriptedModel(
  { tool: 'find_flights', input: { from: 'Berlin', to: 'Shanghai' } },
  { tool: 'generate_response', input: { ...answer, legs: [] } }, // does not fit: a trip has a leg
  { tool: 'generate_response', input: { ...answer, hotel: null } }, // null for what is optional counts as left out
  'I would rather talk about trains.',
  'Trains are fine.',
  'Really.',
  'No flights.',
);
const hasKey = process.env['OPENAI_API_KEY'] !== undefined;
const agent = new ReActAgent({ name: 'Travel', model: hasKey ? (process.env['MODEL'] ?? 'openai:gpt-5.5') : script, toolkit: [findFlights] });

const reply = await agent.call('A trip from Berlin to Shanghai for Christmas, please. Leave on 24 December 2026.', { schema: Trip });
if (reply.hasStructuredData()) {
  const { summary, legs, leave } = reply.getStructuredData(); // { summary: string; legs: { flight: string; priceEur: number }[]; leave: Date; … }
  console.log(summary, legs.reduce((sum, leg) => sum + leg.priceEur, 0), leave.toISOString().slice(0, 10));
} else {
  console.log('no data yet:', reply.generateReason); // paused, interrupted, …
}

assert.equal(reply.generateReason, 'STRUCTURED_OUTPUT');
assert.ok(reply.getStructuredData().leave instanceof Date, 'what the schema made of it');
const [, stored] = await agent.session().messages();
assert.match(JSON.stringify(stored?.getStructuredData()), /"leave":"2026-12-24"/, 'the record holds JSON');
assert.deepEqual(stored?.getStructuredData(Trip), reply.getStructuredData(), 'which the schema reads again');

if (!hasKey) {
  assert.deepEqual(reply.getStructuredData(), { ...answer, leave: new Date('2026-12-24') });
  assert.match(JSON.stringify(script.requests[2]?.messages), /legs: Too small/, 'the model was told what was wrong');
  try {
    await agent.call('And back?', { schema: Trip });
    assert.fail('no answer fitted');
  } catch (error) {
    if (!AgentScopeError.is(error, 'agent/structured-output-invalid')) throw error;
    console.log(`gave up after ${error.details.attempts} attempts; the last words were: ${error.details.text}`);
  }
}
