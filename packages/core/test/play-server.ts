import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface PlayedRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface PlayServer {
  readonly baseUrl: string;
  readonly requests: readonly PlayedRequest[];
  /** Answers whose connection is still open. */
  open(): number;
  close(): Promise<void>;
}

export type Player = (request: PlayedRequest, response: ServerResponse, number: number) => unknown;

/** A real HTTP server on this machine, closed when the test is over; `play` answers each request, counted from 1. */
export async function playServer(play: Player): Promise<PlayServer> {
  const requests: PlayedRequest[] = [];
  const running = new Set<ServerResponse>();
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = { url: incoming.url ?? '', headers: incoming.headers, body: await bodyOf(incoming) };
    requests.push(request);
    await play(request, response, requests.length);
  };
  const server = createServer((incoming, response) => {
    running.add(response);
    response.once('close', () => running.delete(response));
    void answer(incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    open: () => running.size,
    close,
  };
}

/** Plays bytes with one status, in the given pieces. */
export function playBytes(pieces: readonly (string | Uint8Array)[], { status = 200, type = 'text/event-stream', headers = {} as Record<string, string> } = {}): Player {
  return async (_request, response) => {
    response.writeHead(status, { 'content-type': type, ...headers });
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
}

export function sse(...frames: readonly unknown[]): string {
  return frames.map((frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`).join('');
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}
