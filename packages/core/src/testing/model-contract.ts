import { AgentScopeError } from '../error/index.ts';
import type { ErrorCode } from '../error/index.ts';
import { parseObject } from '../internal/index.ts';
import type { Awaitable } from '../internal/index.ts';
import { collectResponse } from '../model/index.ts';
import type { ChatModel, ChatResponse, ChatResponseChunk } from '../model/index.ts';
import { CONTRACT_PICTURE, richRequest, scenario } from './model-scenarios.ts';
import type { ModelScenario, ScenarioPlay } from './model-scenarios.ts';
import { assertEqual, eventually } from './store-asserts.ts';
import type { StoreTestRunner } from './store-contract.ts';
import type { RequestValidator } from './validators/shared.ts';

export interface ModelUnderTest {
  readonly model: ChatModel;
  /** Bodies of the requests so far, as sent. */
  requests?(): readonly string[];
  /** Connections still open. */
  open?(): number;
  /** Called after the test, also when it failed. */
  dispose?(): Awaitable<void>;
}

export interface ModelContractOptions {
  /** False for a model that says what it likes: only the rules that hold for any answer are tested. Default true. */
  readonly played?: boolean;
  /** What the protocol does not have: `open` where the end of the body is the end of the answer, `filtered` or `cached` where no answer says so. */
  readonly without?: readonly (ScenarioPlay | 'filtered' | 'cached')[];
  /** False for a protocol that does not say thinking. Default true. */
  readonly thinking?: boolean;
  /** False for a model that takes text only: a picture becomes a note. Default true. */
  readonly pictures?: boolean;
  /** The key the models are made with: no error may show it. */
  readonly key?: string;
  /** Judges every request that is sent. */
  readonly validate?: RequestValidator;
}

interface Rules {
  readonly options: ModelContractOptions;
  make(scenario: ModelScenario): Promise<ModelUnderTest>;
}
type Check = (rules: Rules) => Promise<void>;

/**
 * Registers what every chat model must do, one test a rule. `make` gives a model that will be answered as the scenario says, mostly by a
 * server on this machine that says it in the provider's words.
 *
 * @example modelContract({ describe, test }, (scenario) => serve(scenario));
 */
export function modelContract({ describe, test }: StoreTestRunner, make: (scenario: ModelScenario) => Awaitable<ModelUnderTest>, options: ModelContractOptions = {}): void {
  const { played = true, thinking = true } = options;
  const groups: readonly Readonly<Record<string, Check>>[] = played ? [anyModel, answers, ...(thinking ? [thoughts] : []), failures, aborts, retryAborts] : [anyModel];
  describe('model contract', () => {
    for (const [name, check] of groups.flatMap((group) => Object.entries(group))) {
      const play = PLAYS.find((word) => name.startsWith(`${word}:`));
      if (play === undefined || options.without?.includes(play) !== true) test(name, () => runCheck(check, make, options));
    }
  });
}

const PLAYS: readonly (ScenarioPlay | 'filtered' | 'cached')[] = ['cut', 'slow', 'stalled', 'silent', 'broken', 'unfinished', 'failing', 'open', 'refused', 'busy', 'filtered', 'cached'];

async function runCheck(check: Check, make: (scenario: ModelScenario) => Awaitable<ModelUnderTest>, options: ModelContractOptions): Promise<void> {
  const made: ModelUnderTest[] = [];
  try {
    await check({
      options,
      async make(wanted) {
        const model = await make(wanted);
        made.push(model);
        return model;
      },
    });
    if (options.validate !== undefined) {
      for (const body of made.flatMap((one) => one.requests?.() ?? [])) assertEqual(options.validate(JSON.parse(body)), [], `broken rules of the request ${body.slice(0, 300)}`);
    }
  } finally {
    for (const one of made) await one.dispose?.();
  }
}

const anyModel: Readonly<Record<string, Check>> = {
  async 'a stream numbers its blocks, ends once with a finish reason, and reports finite usage'({ make }) {
    const played = scenario('tool');
    const { model } = await make(played);
    const chunks: ChatResponseChunk[] = [];
    for await (const chunk of model.stream(played.request)) chunks.push(chunk);
    checkChunks(chunks);
  },
  async 'call gives the blocks of the stream'({ make }) {
    const played = scenario('text');
    const [streamed, called] = await Promise.all([make(played), make(played)]);
    const stream = await collectResponse(streamed.model.stream(played.request));
    const call = await called.model.call(played.request);
    assertEqual(comparable(call), comparable(stream), 'call');
  },
  async 'a request may be frozen, and stays as it is'({ make }) {
    const played = { ...scenario('text'), request: deepFreeze(richRequest()) };
    const before = JSON.stringify(played.request);
    await (await make(played)).model.call(played.request);
    assertEqual(JSON.stringify(played.request), before, 'request');
  },
  async 'C080 leaving the stream early ends the request'({ make }) {
    const played = scenario('text');
    const { model, open } = await make(played);
    for await (const _chunk of model.stream(played.request)) break;
    await closed(open);
  },
  async 'an aborted signal throws its reason, and nothing is sent'({ make }) {
    const played = scenario('text');
    const { model, requests } = await make(played);
    const reason = new Error('early');
    assertEqual((await readAll(model, played, AbortSignal.abort(reason))).error === reason, true, 'the reason is thrown');
    assertEqual(requests?.() ?? [], [], 'requests');
  },
};

const answers: Readonly<Record<string, Check>> = {
  async 'text comes as it was said, with its usage and the provider\'s own word for the end'({ make }) {
    const response = await answerTo(make, scenario('text'));
    assertEqual(textOf(response), 'Hello, 晴天🌍 ok', 'text');
    assertEqual([response.finishReason, response.usage], ['stop', { inputTokens: 12, outputTokens: 7 }], 'end');
    assertEqual(typeof response.metadata?.['providerFinishReason'], 'string', 'type of metadata.providerFinishReason');
  },
  async 'not streamed, the answer is the same'({ make }) {
    for (const name of ['text', 'tool', 'parallel', 'length'] as const) {
      const streamed = await answerTo(make, scenario(name));
      assertEqual(comparable(await answerTo(make, scenario(name, 'plain', { stream: false }))), comparable(streamed), `${name}, not streamed`);
    }
  },
  async 'cut: C001 however the bytes are cut, the answer is the same'({ make }) {
    for (const name of ['text', 'tool', 'parallel'] as const) assertEqual(comparable(await answerTo(make, scenario(name, 'cut'))), comparable(await answerTo(make, scenario(name))), name);
  },
  async 'slow: bytes that keep coming are life, however long it takes'({ make }) {
    assertEqual(textOf(await answerTo(make, scenario('text', 'slow', { timeoutMs: 2_000 }))), 'Hello, 晴天🌍 ok', 'text');
  },
  async 'open: C012 the answer is complete though the connection stays open, which is then let go'({ make }) {
    const played = scenario('text', 'open');
    const { model, open } = await make(played);
    assertEqual(textOf(await model.call(played.request)), 'Hello, 晴天🌍 ok', 'text');
    await closed(open);
  },
  async 'a tool call comes with its id, name and arguments'({ make }) {
    const response = await answerTo(make, scenario('tool'));
    assertEqual([textOf(response), callsOf(response), response.finishReason], ['I look.', [['call_a', 'get_weather', { city: 'Lisbon' }]], 'tool_calls'], 'answer');
  },
  async 'C005 parallel calls stay apart and in order'({ make }) {
    assertEqual(callsOf(await answerTo(make, scenario('parallel'))), [['call_a', 'get_weather', { city: 'A' }], ['call_b', 'get_weather', { city: 'B' }], ['call_c', 'now', {}]], 'calls');
  },
  async 'C018 a call without arguments has an empty object'({ make }) {
    assertEqual(callsOf(await answerTo(make, scenario('noArguments'))), [['call_n', 'now', {}]], 'calls');
  },
  async 'C026 a tool name the provider refuses is cleaned on the way out and itself again on the way back'({ make }) {
    assertEqual(callsOf(await answerTo(make, scenario('renamed'))), [['call_r', 'ns.read:file', { path: 'x' }]], 'calls');
  },
  async 'an answer cut by the length says so'({ make }) {
    assertEqual((await answerTo(make, scenario('length'))).finishReason, 'length', 'finish reason');
  },
  async 'filtered: an answer that was filtered says so'({ make }) {
    assertEqual((await answerTo(make, scenario('filtered'))).finishReason, 'content_filter', 'finish reason');
  },
  async 'cached: C124 cached tokens are counted once, inside the input'({ make }) {
    assertEqual((await answerTo(make, scenario('cached'))).usage, { inputTokens: 12, outputTokens: 7, cachedTokens: 5 }, 'usage');
  },
  async 'a request with names, results and pictures is sent whole, and is valid'({ make, options }) {
    const played = { ...scenario('text'), request: richRequest() };
    const { model, requests } = await make(played);
    await model.call(played.request);
    const [body = ''] = requests?.() ?? [];
    assertEqual(parseObject(body) !== undefined, true, 'the body is JSON');
    assertEqual([body.includes(CONTRACT_PICTURE), body.includes('foreign'), body.includes('noon')], [options.pictures !== false, false, true], 'picture, foreign thinking, result in the body');
    if (options.key !== undefined) assertEqual(body.includes(options.key), false, 'the key is in the body');
  },
};

const thoughts: Readonly<Record<string, Check>> = {
  async 'thinking comes as thinking, before the text, in blocks of its own'({ make }) {
    const { content } = await answerTo(make, scenario('thinking'));
    assertEqual(content.map((block) => (block.type === 'thinking' ? ['thinking', block.thinking] : block.type === 'text' ? ['text', block.text] : [block.type])), [['thinking', 'Let me think.'], ['text', '42']], 'blocks');
  },
};

const failures: Readonly<Record<string, Check>> = {
  async 'refused: a status is a typed error that names no key'({ make, options }) {
    for (const [status, code, retryable] of [[400, 'model/bad-request', false], [401, 'model/auth', false], [429, 'model/rate-limit', true], [500, 'model/overloaded', true]] as const) {
      const error = await failureOf(make, scenario('text', 'refused', { refusal: { status } }));
      assertEqual([error.code, (error.details as { retryable?: boolean }).retryable, (error.details as { status?: number }).status], [code, retryable, status], `error of ${status}`);
      if (options.key !== undefined) assertEqual(`${error.message}${JSON.stringify(error.details)}`.includes(options.key), false, 'the key is in the error');
    }
  },
  async 'refused: C136 the wait the provider asks for is in the error'({ make }) {
    const error = await failureOf(make, scenario('text', 'refused', { refusal: { status: 429, headers: { 'retry-after': '2' } } }));
    assertEqual((error.details as { retryAfterMs?: number }).retryAfterMs, 2_000, 'retryAfterMs');
  },
  async 'busy: C134 a failure before the first content is tried again, unseen'({ make }) {
    const played = scenario('text', 'busy', { maxRetries: 1 });
    const { model, requests } = await make(played);
    assertEqual(textOf(await model.call(played.request)), 'Hello, 晴天🌍 ok', 'text');
    if (requests !== undefined) assertEqual(requests().length, 2, 'requests');
  },
  async 'failing: C010 an error in the middle fails the call; what came before was said, and is not said again'({ make }) {
    await brokenOff(make, scenario('text', 'failing', { maxRetries: 2 }), ['model/overloaded', 'model/bad-stream']);
  },
  async 'unfinished: an end without the last frame is no success'({ make }) {
    await brokenOff(make, scenario('text', 'unfinished', { maxRetries: 2 }), ['model/bad-stream']);
  },
  async 'broken: a connection that breaks is no success'({ make }) {
    await brokenOff(make, scenario('text', 'broken', { maxRetries: 2 }), ['model/network', 'model/bad-stream']);
  },
  async 'stalled: C079 silence in the middle is a time-out'({ make }) {
    await brokenOff(make, scenario('text', 'stalled', { timeoutMs: 60 }), ['model/timeout']);
  },
  async 'silent: C079 a server that never answers is a time-out'({ make }) {
    assertEqual((await failureOf(make, scenario('text', 'silent', { timeoutMs: 60 }))).code, 'model/timeout', 'code');
  },
};

const aborts: Readonly<Record<string, Check>> = {
  async 'silent: an abort while nothing has come throws its reason and ends the request'({ make }) {
    const played = scenario('text', 'silent');
    const { model, open, requests } = await make(played);
    const controller = new AbortController();
    const reading = readAll(model, played, controller.signal);
    if (requests !== undefined) await eventually(async () => assertEqual(requests().length, 1, 'requests'), 'the request');
    const reason = new Error('enough');
    controller.abort(reason);
    assertEqual((await reading).error === reason, true, 'the reason is thrown');
    await closed(open);
  },
  async 'stalled: an abort in the middle throws its reason, keeps what came, and ends the request'({ make }) {
    const played = scenario('text', 'stalled');
    const { model, open } = await make(played);
    const controller = new AbortController();
    const reason = new Error('enough');
    const { response, error } = await readAll(model, played, controller.signal, () => controller.abort(reason));
    assertEqual([error === reason, textOf(response).length > 0, response.finishReason], [true, true, undefined], 'reason, text, finish');
    await closed(open);
  },
};

const retryAborts: Readonly<Record<string, Check>> = {
  async 'refused: an abort before the next try throws its reason at once'({ make }) {
    const played = scenario('text', 'refused', { refusal: { status: 429, headers: { 'retry-after': '50' } }, maxRetries: 3 });
    const { model, open, requests } = await make(played);
    const controller = new AbortController();
    const reading = readAll(model, played, controller.signal);
    if (requests !== undefined) await eventually(async () => assertEqual(requests().length, 1, 'requests'), 'the request');
    const reason = new Error('enough');
    controller.abort(reason);
    assertEqual((await reading).error === reason, true, 'the reason is thrown');
    if (requests !== undefined) assertEqual(requests().length, 1, 'requests');
    await closed(open);
  },
};

/** The error of a stream that says something and then fails, having said nothing twice, and asked once. */
async function brokenOff(make: Rules['make'], played: ModelScenario, codes: readonly ErrorCode[]): Promise<void> {
  const { model, open, requests } = await make(played);
  const { response, error } = await readAll(model, played);
  if (!AgentScopeError.is(error) || !codes.includes(error.code)) throw new Error(`expected ${codes.join(' or ')}, got ${error instanceof Error ? error.message : 'no error'}`, { cause: error });
  assertEqual(response.finishReason, undefined, 'finish reason of a broken answer');
  const text = textOf(response);
  assertEqual([text.length > 0, 'Hello, 晴天🌍 ok'.startsWith(text)], [true, true], `what was said ("${text}") is a part of the answer`);
  if (requests !== undefined) assertEqual(requests().length, 1, 'requests');
  await closed(open);
}

function checkChunks(chunks: readonly ChatResponseChunk[]): void {
  const types = new Map<number, string>();
  for (const { content } of chunks) {
    for (const { index, type } of content) {
      assertEqual(types.get(index) ?? type, type, `type of block ${index}`);
      if (!types.has(index)) types.set(index, type);
    }
  }
  assertEqual(new Set(chunks.map(({ id }) => id)).size, 1, 'ids of one answer');
  assertEqual(chunks.map(({ finishReason }) => finishReason !== undefined), chunks.map((_chunk, at) => at === chunks.length - 1), 'chunks with a finish reason');
  const usage = chunks.findLast((chunk) => chunk.usage !== undefined)?.usage;
  assertEqual([usage?.inputTokens, usage?.outputTokens].map((count) => Number.isFinite(count) && (count ?? -1) >= 0), [true, true], 'usage is finite');
}

async function answerTo(make: Rules['make'], played: ModelScenario): Promise<ChatResponse> {
  return (await make(played)).model.call(played.request);
}

async function failureOf(make: Rules['make'], played: ModelScenario): Promise<AgentScopeError> {
  const { model, open } = await make(played);
  const { error } = await readAll(model, played);
  if (!AgentScopeError.is(error)) throw new Error('expected a typed error', { cause: error });
  await closed(open);
  return error;
}

async function readAll(model: ChatModel, { request }: ModelScenario, signal?: AbortSignal, onChunk?: () => void): Promise<{ response: ChatResponse; error: unknown }> {
  const chunks: ChatResponseChunk[] = [];
  let error: unknown;
  try {
    for await (const chunk of model.stream(request, { signal })) {
      chunks.push(chunk);
      onChunk?.();
    }
  } catch (thrown) {
    error = thrown;
  }
  return { response: await collectResponse(each(chunks)), error };
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function closed(open: (() => number) | undefined): Promise<void> {
  if (open !== undefined) await eventually(async () => assertEqual(open(), 0, 'open connections'), 'connections are closed');
}

function textOf({ content }: ChatResponse): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function callsOf({ content }: ChatResponse): readonly unknown[] {
  return content.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name, block.input]] : []));
}

/** Without ids that a model makes up where the provider has none. */
function comparable({ content, finishReason, usage }: ChatResponse): unknown {
  return { content: content.map(({ ...block }) => ('content' in block ? { ...block, content: undefined } : block)), finishReason, usage };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return value;
}
