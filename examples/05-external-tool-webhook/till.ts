// A tool that runs elsewhere: the reply is suspended, and a webhook brings the result, minutes or days later.
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
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
    return createServer((request, response) => {
      void settled(request).then((code) => response.writeHead(code).end(), () => response.writeHead(500).end());
    });
  }

  /** The status for the bank: 202 once the result is durable, 200 where it was already there. */
  async function settled(request: IncomingMessage): Promise<number> {
    const { userId, sessionId, id, status } = (await json(request)) as Record<string, string>;
    const session = agent.session({ userId, sessionId });
    const question = (await session.pending('external')).find((open) => open.id === id);
    if (!question) return 200; // webhooks come twice
    try {
      const stream = session.streamEvents(provide(question, { status }), { detach: true });
      await stream.accepted; // durable: the bank may forget it; the reply goes on by itself
      return 202;
    } catch (error) {
      if (AgentScopeError.is(error, 'agent/no-such-question')) return 200;
      throw error;
    }
  }

  return { agent, order, webhooks };
}
