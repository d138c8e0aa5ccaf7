// A tool as a module of its own: streamed output, an idempotency key, its own permission check, typed context, memory of the session.
import { contextKey, defineTool, stateKey, toDataBlock, toolResult } from '@agentscope/core';
import { z } from 'zod';

export interface Cluster {
  /** The same key twice is the same job. */
  start(service: string, options: { readonly key: string; readonly signal: AbortSignal }): Promise<Job>;
  find(key: string): Promise<Job | undefined>;
}
export interface Job {
  readonly id: string;
  readonly state: string;
  log(): AsyncIterable<string>;
  graph(): Promise<Uint8Array>;
}

/** Given with each call, never stored. */
export const clusterOf = contextKey<Cluster>('cluster');
/** Kept with the conversation. */
export const deployed = stateKey<readonly string[]>('deployed', []);

export const deploy = defineTool({
  name: 'deploy',
  description: 'Deploys a service and follows its log.',
  input: z.object({ service: z.string(), stage: z.enum(['test', 'production']) }),
  effect: 'once',
  timeoutMs: 600_000,
  checkPermission: ({ service, stage }) =>
    stage === 'test'
      ? 'allow'
      : {
          behavior: 'ask',
          message: `${service} goes to production.`,
          suggestedRules: [{ toolName: 'deploy', ruleContent: service, behavior: 'allow', scope: 'session' }],
        },
  async *execute({ service }, ctx) {
    const job = await ctx.context.get(clusterOf).start(service, { key: ctx.idempotencyKey, signal: ctx.signal });
    for await (const line of job.log()) yield `${line}\n`; // seen at once, and part of the result
    ctx.emit({ type: 'CUSTOM', name: 'deploy.done', value: { jobId: job.id } }); // for the page, not for the model
    ctx.state.set(deployed, [...ctx.state.get(deployed), service]); // saved together with the result, or not at all
    return toolResult([`job ${job.id} is ${job.state}`, toDataBlock(await job.graph(), { mediaType: 'image/png' })]);
  },
  // Asked after a crash: did it happen? To say nothing means: unknown.
  reconcile: async (_input, ctx) => (await ctx.context.get(clusterOf).find(ctx.idempotencyKey))?.state,
});
