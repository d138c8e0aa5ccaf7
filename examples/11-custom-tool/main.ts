// Uses the tool of deploy.ts: by itself, as a unit test would, and through an agent that streams what the tool says.
import assert from 'node:assert/strict';
import { approve, ReActAgent } from '@agentscope/core';
import { scriptedModel } from '@agentscope/core/testing';
import { clusterOf, deploy } from './deploy.ts';
import type { Cluster, Job } from './deploy.ts';

/** A cluster in this process. */
function localCluster(): Cluster & { readonly jobs: Map<string, Job> } {
  const jobs = new Map<string, Job>();
  return {
    jobs,
    async start(service, { key }) {
      const job: Job = jobs.get(key) ?? {
        id: `${service}-${jobs.size + 1}`,
        state: 'running',
        async *log() {
          yield 'pull image';
          yield 'start 2 of 2';
        },
        graph: async () => Uint8Array.of(137, 80, 78, 71),
      };
      jobs.set(key, job);
      return job;
    },
    find: async (key) => jobs.get(key),
  };
}

// By itself: no agent, no model.
const cluster = localCluster();
const context = { get: <T>() => cluster as T, find: <T>() => cluster as T };
const output = await deploy.run({ service: 'api', stage: 'test' }, { context, idempotencyKey: 'unit-test' });
console.log(output.state, output.content.map(({ type }) => type).join(' '));
assert.equal(output.state, 'success');
assert.deepEqual(output.content.map(({ type }) => type), ['text', 'data']);
assert.deepEqual([...cluster.jobs.keys()], ['unit-test']);

// Through an agent: the log line by line, the event for the page, and one question before production.
const script = scriptedModel(
  { tool: 'deploy', input: { service: 'api', stage: 'test' } },
  { tool: 'deploy', input: { service: 'api', stage: 'production' } },
  'The api runs in test and in production.',
);
const hasKey = process.env['OPENAI_API_KEY'] !== undefined;
const agent = new ReActAgent({ name: 'Ops', model: hasKey ? 'openai:gpt-5.5' : script, toolkit: [deploy] });
const session = agent.session();
const options = { context: [clusterOf.of(cluster)] };

const stream = session.streamEvents('Deploy api to test, then to production.', options);
const jobs: unknown[] = [];
for await (const event of stream) {
  if (event.type === 'TOOL_RESULT_TEXT_DELTA') process.stdout.write(event.delta);
  if (event.type === 'CUSTOM') jobs.push(event.value);
}
process.stdout.write('\n');
assert.equal((await stream.result).generateReason, 'PERMISSION_ASKING');
assert.deepEqual(jobs, [{ jobId: 'api-2' }]);

const [question] = await session.pending('confirm');
assert.ok(question);
console.log(`? ${question.message}`);
assert.equal(question.message, 'api goes to production.');
const reply = await session.call(approve(question), options);
console.log(reply.getTextContent());

assert.equal(reply.id, (await stream.result).id, 'the pause did not change the reply');
assert.deepEqual(reply.getToolCalls().map(({ result }) => result?.state), ['success', 'success']);
assert.equal(cluster.jobs.size, 3);
assert.equal(new Set(cluster.jobs.keys()).size, 3, 'each run has a key of its own');
