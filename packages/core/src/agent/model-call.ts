import { createEvent } from '../event/index.ts';
import type { AgentEvent } from '../event/index.ts';
import { AssistantMessage } from '../message/index.ts';
import type { HintBlock, Msg } from '../message/index.ts';
import { createCollector } from '../model/index.ts';
import type { ChatModel, ChatResponse, ChatResponseChunk, ModelRequest } from '../model/index.ts';
import { inScopes, onion } from '../middleware/index.ts';
import type { ModelCallInput, ReasoningInput, StageEvents } from '../middleware/index.ts';
import { abortable } from './abortable.ts';
import { BlockWriter } from './block-writer.ts';
import { toModelError } from './call-ending.ts';
import { CallFrame } from './call-frame.ts';
import type { ModelCallOptions } from './call-frame.ts';
import type { ReplyError } from './next-step.ts';
import type { Reply, StepEvents } from './reply.ts';
import { patient } from './patient.ts';
import { isShutDown } from './shut-down.ts';
import type { Stages } from './stages.ts';
import { steerHints } from './steers.ts';

/** One model call, from MODEL_CALL_START to MODEL_CALL_END in every ending; what others said into the reply is read first. */
export async function* modelCall(reply: Reply, options: ModelCallOptions): StepEvents {
  const { signal, stages } = reply;
  const hints = steerHints(reply);
  if (hints.length > 0) yield [...hints];
  const frame = new CallFrame(reply, options);
  let last: AgentEvent[] = [];
  try {
    if (stages?.mayChange('onReasoning') || stages?.mayChange('onModelCall')) yield* wrapped(reply, frame, { options, stages });
    else if (stages?.has('onModelCall')) last = yield* looked(reply, frame, { options, stages });
    else last = yield* ask(reply, frame, { model: reply.model, options, request: () => requestOf(reply, options) });
  } catch (error) {
    frame.ending.thrown(error);
  }
  if (!frame.hasBegun && !frame.ending.error && (reply.isStopping || reply.facts().stop)) return; // a layer stopped the reply before the model was asked
  if (isShutDown(signal.reason)) return; // it did not end: whoever goes on takes it back and asks again
  const { error } = frame.ending;
  if (options.purpose === 'summary' && error) last = sayText({ replyId: reply.replyId, blockId: `${frame.prefix}.summary` }, summaryFailed(error));
  yield frame.end(last);
}

interface Asked {
  readonly model: ChatModel;
  readonly options: ModelCallOptions;
  request(): Promise<ModelRequest>;
  heard?(chunk: ChatResponseChunk): void;
}

/** Asks a model, and says its answer as it comes, all but the end of it. What the model throws is thrown behind what it said. */
async function* ask(reply: Reply, frame: CallFrame, { model, options, request, heard }: Asked): StageEvents<AgentEvent[]> {
  const { replyId, signal } = reply;
  yield frame.begin(model.modelName);
  const writer = new BlockWriter({ replyId, prefix: frame.prefix, withoutCalls: options.purpose === 'summary' });
  const asked = await request(); // what is thrown before is not the model's (a memory)
  let events: AgentEvent[] = [];
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const chunk of abortable(model.stream(asked, { signal }), signal)) {
      frame.ending.note(chunk);
      heard?.(chunk);
      writer.write(chunk.content, events);
      if (events.length === 0) continue;
      yield events;
      events = [];
    }
  } catch (error) {
    failure = { error: signal.aborted ? error : toModelError(error, model.provider) };
  }
  writer.close(events); // what came before a malformed increment stays
  if (!failure) return events;
  if (events.length > 0) yield events;
  throw failure.error;
}

interface Wrapping {
  readonly options: ModelCallOptions;
  readonly stages: Stages;
}

/** The same with those around it who only look. */
async function* looked(reply: Reply, frame: CallFrame, { options, stages }: Wrapping): StageEvents<AgentEvent[]> {
  const asked = await requestOf(reply, options);
  const scopes = stages.begin<ModelCallInput, ChatResponse>('onModelCall', lookedAt(reply, asked, options));
  const { model } = reply;
  const request = async (): Promise<ModelRequest> => asked;
  if (scopes.length === 0) return yield* ask(reply, frame, { model, options, request });
  let last: AgentEvent[] = [];
  const collector = createCollector();
  const answer = async function* (): StageEvents<ChatResponse> {
    last = yield* ask(reply, frame, { model, options, request, heard: (chunk) => collector.add(chunk) });
    return collector.response();
  };
  yield* inScopes(answer(), scopes);
  return last;
}

/** What those who only look are shown. Messages are made for who reads them. */
function lookedAt({ model }: Reply, request: ModelRequest, { purpose }: ModelCallOptions): ModelCallInput & Pick<ModelRequest, 'responseFormat'> {
  const { tools = [], options = {}, toolChoice, responseFormat } = request;
  return {
    get messages(): readonly Msg[] {
      return request.messages;
    },
    tools,
    options,
    purpose,
    modelName: model.modelName,
    model,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
  };
}

/** The same with what the agent's middleware and hooks make of it. */
async function* wrapped(reply: Reply, frame: CallFrame, { options, stages }: Wrapping): StepEvents {
  const { tools = [], messages, options: generateOptions = {}, ...rest } = await requestOf(reply, options);
  const heard = new Set(hintsIn(reply).map(({ id }) => id));
  const input = { messages, tools, options: generateOptions, purpose: options.purpose, modelName: reply.model.modelName };
  const core = async function* (given: ReasoningInput): StageEvents<Msg> {
    // What a layer said as a hint is in the request of this very call, whatever else layers make of that.
    const hints = hintsIn(reply).filter(({ id }) => !heard.has(id));
    const shown = hints.length === 0 ? given.messages : [...given.messages, reply.message().with({ content: hints })];
    return yield* reasoning(reply, frame, { given: { ...rest, ...given, messages: shown, model: reply.model }, options, stages });
  };
  const events = onion({ where: 'onReasoning', layers: stages.layers<ReasoningInput, Msg>('onReasoning'), input, core, resultOf: () => saidIn(reply, frame.number) });
  for await (const batch of patient(events, reply.signal)) {
    const settled = frame.settle(batch);
    if (settled.length > 0) yield settled;
  }
}

function hintsIn(reply: Reply): readonly HintBlock[] {
  return reply.message().content.filter((block) => block.type === 'hint');
}

interface Reasoning {
  readonly given: ModelCallInput & Pick<ModelRequest, 'responseFormat'>;
  readonly options: ModelCallOptions;
  readonly stages: Stages;
}

/** The request inside a reasoning step, with the middleware that wraps it alone. */
async function* reasoning(reply: Reply, frame: CallFrame, { given, options, stages }: Reasoning): StageEvents<Msg> {
  let response: ChatResponse | undefined;
  const core = async function* ({ model, messages, tools, toolChoice, options: generateOptions }: ModelCallInput): StageEvents<ChatResponse> {
    const collector = createCollector();
    const request = async (): Promise<ModelRequest> => ({
      messages,
      ...(tools.length > 0 ? { tools, toolChoice } : {}),
      options: generateOptions,
      ...(given.responseFormat ? { responseFormat: given.responseFormat } : {}),
    });
    const last = yield* ask(reply, frame, { model, options, request, heard: (chunk) => collector.add(chunk) });
    if (last.length > 0) yield last;
    return (response = collector.response());
  };
  yield* onion({ where: 'onModelCall', layers: stages.layers<ModelCallInput, ChatResponse>('onModelCall'), input: given, core, resultOf: () => response ?? createCollector().response() });
  return saidIn(reply, frame.number);
}

/** What one model call said, as a message of its own. */
function saidIn(reply: Reply, call: number): Msg {
  const content = reply.message().content.filter((block) => block.call === call && block.type !== 'tool_result');
  const calls = content.some(({ type }) => type === 'tool_use');
  return new AssistantMessage({ id: reply.replyId, name: reply.config.name, content, timestamp: null, ...(calls ? { generateReason: 'TOOL_CALLS' } : {}) });
}

async function requestOf(reply: Reply, { purpose, toolChoice }: ModelCallOptions): Promise<ModelRequest> {
  const { toolkit } = reply.config;
  const system = reply.stages ? await reply.stages.system(reply.config.system) : reply.config.system;
  const list = await reply.messages(system ? [system] : []);
  const tools = toolkit.getToolSchemas();
  let messages: readonly Msg[] | undefined;
  return {
    // A list of thousands costs more than the rest of the turn, and not every model looks at it.
    get messages(): readonly Msg[] {
      return (messages ??= list());
    },
    tools: tools.length > 0 ? tools : undefined,
    toolChoice: tools.length > 0 ? toolChoice : undefined,
    options: reply.generateOptions,
    ...reply.structured?.ask({ tools, reminders: reply.facts().structured?.reminders ?? 0, isSummary: purpose === 'summary' }),
  };
}

function summaryFailed(error: ReplyError): string {
  return `The limit of model calls is reached, and the summary failed: ${error.message}`;
}

function sayText(where: { readonly replyId: string; readonly blockId: string }, text: string): AgentEvent[] {
  return [createEvent('TEXT_BLOCK_START', where), createEvent('TEXT_BLOCK_DELTA', { ...where, delta: text }), createEvent('TEXT_BLOCK_END', where)];
}
