// A tool that runs elsewhere: the reply is suspended, and a webhook brings the result, minutes or days later.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { AgentScopeError, defineTool, provide, ReActAgent } from '@agentscope/core';
import type { ChatModel } from '@agentscope/core';
import { JsonSession } from '@agentscope/core/store/file';

const chargeCard = defineTool({
  name: 'charge_card',
  description: 'Charges the customer and waits for the bank.',
  input: { type: 'object', properties: { amountCents: { type: 'integer', minimum: 1 } }, required: ['amountCents'] },
  external: true,
});

export interface TillOptions {
  /** Where conversations are kept. */
  readonly folder: string;
  /** Where charges are sent. */
  readonly bank: string;
  readonly model: ChatModel | string;
}

/** Everything a till needs is its store and this configuration, so any process that has both can be one. */
export function createTill({ folder, bank, model }: TillOptions): { readonly agent: ReActAgent; order(userId: string, sessionId: string, text: string): Promise<string>; webhooks(): Server } {
  const agent = new ReActAgent({ name: 'Till', model, toolkit: [chargeCard], session: new JsonSession(folder) });

  async function order(userId: string, sessionId: string, text: string): Promise<string> {
    const session = agent.session({ userId, sessionId });
    const reply = await session.call(text);
    for (const { id, toolCall } of await session.pending('external')) {
      await fetch(`${bank}/charges`, { method: 'POST', body: JSON.stringify({ userId, sessionId, id, ...toolCall.input }) });
    }
    return reply.generateReason;
  }

  function webhooks(): Server {
    return createServer(async (request, response) => {
      const { userId, sessionId, id, status } = (await json(request)) as Record<string, string>;
      const session = agent.session({ userId, sessionId });
      const question = (await session.pending('external')).find((open) => open.id === id);
      if (!question) return response.writeHead(200).end('already answered'); // webhooks come twice
      try {
        const stream = session.streamEvents(provide(question, { status }), { detach: true });
        await stream.accepted; // durable: the bank may forget it; the reply goes on by itself
        response.writeHead(202).end('accepted');
      } catch (error) {
        response.writeHead(AgentScopeError.is(error, 'agent/no-such-question') ? 200 : 500).end('already answered');
      }
    });
  }

  return { agent, order, webhooks };
}
