import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[];
}
export interface Received {
  readonly url: string;
  readonly key: string | undefined;
  readonly body: { readonly model: string; readonly messages: readonly WireMessage[]; readonly tools?: readonly unknown[] };
  /** Resolves when the other side has closed the connection. */
  readonly closed: Promise<void>;
}
/** Plays one answer. */
export type Answer = (response: ServerResponse) => void | Promise<void>;

export interface ChatServer {
  readonly url: string;
  /** What a program needs to talk to it. */
  readonly env: Readonly<Record<string, string>>;
  /** In the order they came. */
  readonly requests: readonly Received[];
}

/** A real server for Chat Completions: each request gets the next answer; one too many gets a 500. */
export async function chatServer(...answers: readonly Answer[]): Promise<ChatServer> {
  const requests: Received[] = [];
  const server = createServer((request, response) => void serve(request, response));
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const closed = new Promise<void>((resolve) => response.on('close', resolve));
    const body = JSON.parse(await textOf(request)) as Received['body'];
    const answer = answers[requests.push({ url: request.url ?? '', key: request.headers.authorization, body, closed }) - 1];
    if (answer === undefined) response.writeHead(501).end('{"error":{"message":"No further answer."}}');
    else await answer(response);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { url, env: { OPENAI_API_KEY: 'sk-test-0123456789', OPENAI_BASE_URL: url }, requests };
}

/** A whole event stream of these payloads, closed by `[DONE]`. */
export function streamed(...payloads: readonly (object | string)[]): Answer {
  return (response) => {
    begin(response);
    send(response, ...payloads);
    response.end('data: [DONE]\n\n');
  };
}

/** A stream that gets so far and then does what `then` says: hold, break off, go on. */
export function streamedUntil(payloads: readonly object[], then: (response: ServerResponse) => void | Promise<void> = () => undefined): Answer {
  return async (response) => {
    begin(response);
    send(response, ...payloads);
    await then(response);
  };
}

export function json(text: string, status = 200): Answer {
  return (response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

/** A body as it is. */
export function sse(text: string): Answer {
  return (response) => {
    begin(response);
    response.end(text);
  };
}

export function send(response: ServerResponse, ...payloads: readonly (object | string)[]): void {
  for (const payload of payloads) response.write(`data: ${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n\n`);
}

/** Deltas of text, one a payload. */
export function texts(...pieces: readonly string[]): object[] {
  return pieces.map((content) => choice({ delta: { content } }));
}

/** An answer of text alone. */
export function says(...pieces: readonly string[]): Answer {
  return streamed(...texts(...pieces), finish('stop'));
}

/** Calls as servers send them: the names first, the arguments' text in two pieces. */
export function calls(...wanted: readonly { readonly id: string; readonly name: string; readonly args: string }[]): object[] {
  const begun = wanted.map(({ id, name }, index) => choice({ delta: { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] } }));
  const rest = wanted.flatMap(({ args }, index) => {
    const half = Math.ceil(args.length / 2);
    return [args.slice(0, half), args.slice(half)].map((piece) => choice({ delta: { tool_calls: [{ index, function: { arguments: piece } }] } }));
  });
  return [...begun, ...rest, finish('tool_calls')];
}

export function finish(reason: string): object {
  return choice({ delta: {}, finish_reason: reason });
}

function choice(members: object): object {
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'test', choices: [{ index: 0, finish_reason: null, ...members }] };
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += String(piece);
  return text;
}

/** A promise and what fulfils it: for gates between a test and its server. */
export function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve() };
}
