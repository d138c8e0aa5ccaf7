import type { ServerResponse } from 'node:http';
import type { ChatModel } from '../src/model/index.ts';
import type { ModelScenario, ModelUnderTest, ScenarioAnswer } from '../src/testing/index.ts';
import { playServer } from './play-server.ts';
import type { Player } from './play-server.ts';

/** How one provider writes answers. */
export interface ScenarioWire {
  /** The frames of a stream, each with its line ends, the last one the end marker. */
  frames(answer: ScenarioAnswer): readonly string[];
  /** The body of an answer that is not streamed. */
  whole(answer: ScenarioAnswer): string;
  /** The body of a refusal. */
  refusal(status: number): string;
  /** A frame that says the provider is overloaded. */
  errorFrame(): string;
}

/** A model whose requests are answered by a server on this machine, as the scenario says. */
export async function serveScenario(scenario: ModelScenario, wire: ScenarioWire, make: (baseUrl: string, options: ModelScenario['options']) => ChatModel): Promise<ModelUnderTest> {
  const server = await playServer(player(scenario, wire));
  return { model: make(server.baseUrl, scenario.options), requests: () => server.requests.map(({ body }) => body), open: () => server.open() };
}

function player(scenario: ModelScenario, wire: ScenarioWire): Player {
  return async (_request, response, number) => {
    const { play, refusal } = scenario;
    if (play === 'silent') return;
    const status = play === 'refused' ? refusal?.status : play === 'busy' && number === 1 ? 503 : undefined;
    if (status !== undefined) {
      response.writeHead(status, { 'content-type': 'application/json', ...(play === 'busy' ? { 'retry-after': '0' } : refusal?.headers) }).end(wire.refusal(status));
      return;
    }
    if (!scenario.options.stream) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(wire.whole(scenario.answer));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    await stream(response, scenario, wire);
  };
}

async function stream(response: ServerResponse, { play, answer }: ModelScenario, wire: ScenarioWire): Promise<void> {
  const frames = wire.frames(answer);
  const isHalf = play === 'stalled' || play === 'broken' || play === 'unfinished' || play === 'failing';
  for (const piece of play === 'cut' ? cut(frames.join('')) : isHalf ? frames.slice(0, Math.ceil(frames.length / 2)) : frames) {
    response.write(piece);
    await (play === 'slow' || play === 'broken' ? pause(20) : new Promise((resolve) => setImmediate(resolve)));
  }
  if (play === 'stalled' || play === 'open') return;
  if (play === 'broken') response.destroy();
  else response.end(play === 'failing' ? wire.errorFrame() : '');
}

function* cut(text: string): Generator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size % 7) + 1) yield bytes.subarray(at, at + size);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
