// What does a provider's decoder add to a reader written by hand for the same stream? CPU per 1,000 deltas, nothing sent over a network.
//
//   node bench/models.mjs [--quick]
//
// Both sides read the same bytes from the same kind of body and join the same text; the one by hand knows this one stream and checks nothing.
import { AnthropicChatModel } from '@agentscope/core/provider/anthropic';
import { DashScopeChatModel } from '@agentscope/core/provider/dashscope';
import { DeepSeekChatModel } from '@agentscope/core/provider/deepseek';
import { GeminiChatModel } from '@agentscope/core/provider/gemini';
import { GLMChatModel } from '@agentscope/core/provider/glm';
import { KimiChatModel } from '@agentscope/core/provider/kimi';
import { MiniMaxChatModel } from '@agentscope/core/provider/minimax';
import { XAIChatModel } from '@agentscope/core/provider/xai';
import { OllamaChatModel } from '@agentscope/core/provider/ollama';
import { OpenAIChatModel, OpenAIResponsesModel } from '@agentscope/core/provider/openai';
import { Msg } from '@agentscope/core';
import { median } from './lib/stats.mjs';
import { short, table } from './lib/table.mjs';

const quick = process.argv.includes('--quick');
const DELTAS = 2_000;
const ROUNDS = quick ? 15 : 60;
const LIMIT = 1.5;
const words = Array.from({ length: DELTAS }, (_, at) => (at % 7 === 0 ? ' 晴天' : ` word${at}`));
const expected = words.join('');

/** Text deltas of a server that speaks Chat Completions, with what its recorded frames have beside the text. */
const chat = (make, beside = {}, delta = {}) => ({
  make,
  frames: [
    ...words.map((content) => data({ id: 'r', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content, ...delta }, finish_reason: null }], ...beside })),
    data({ id: 'r', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 5, completion_tokens: DELTAS, total_tokens: DELTAS + 5 } }),
    'data: [DONE]\n\n',
  ],
  read: (frame) => frame.choices[0]?.delta.content,
});

const providers = {
  'openai chat': {
    make: (options) => new OpenAIChatModel(options),
    frames: [
      ...words.map((content) => data({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', system_fingerprint: 'fp', choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }], usage: null })),
      data({ id: 'chatcmpl-1', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
      data({ id: 'chatcmpl-1', model: 'm', choices: [], usage: { prompt_tokens: 5, completion_tokens: DELTAS } }),
      'data: [DONE]\n\n',
    ],
    read: (frame) => frame.choices[0]?.delta.content,
  },
  'openai responses': {
    make: (options) => new OpenAIResponsesModel(options),
    frames: [
      event({ type: 'response.created', sequence_number: 0, response: { id: 'resp_1', model: 'm', status: 'in_progress', output: [] } }),
      event({ type: 'response.output_item.added', sequence_number: 1, output_index: 0, item: { id: 'msg_1', type: 'message', status: 'in_progress', role: 'assistant', content: [] } }),
      event({ type: 'response.content_part.added', sequence_number: 2, item_id: 'msg_1', output_index: 0, content_index: 0, part: { type: 'output_text', text: '', annotations: [] } }),
      ...words.map((delta, at) => event({ type: 'response.output_text.delta', sequence_number: at + 3, item_id: 'msg_1', output_index: 0, content_index: 0, delta, logprobs: [] })),
      event({ type: 'response.output_text.done', item_id: 'msg_1', output_index: 0, content_index: 0, text: expected }),
      event({ type: 'response.output_item.done', output_index: 0, item: { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [{ type: 'output_text', text: expected, annotations: [] }] } }),
      event({ type: 'response.completed', response: { id: 'resp_1', model: 'm', status: 'completed', output: [{ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [{ type: 'output_text', text: expected, annotations: [] }] }], usage: { input_tokens: 5, output_tokens: DELTAS, total_tokens: DELTAS + 5 } } }),
    ],
    read: (frame) => (frame.type === 'response.output_text.delta' ? frame.delta : undefined),
  },
  anthropic: {
    make: (options) => new AnthropicChatModel(options),
    frames: [
      event({ type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage: { input_tokens: 5, output_tokens: 1 } } }),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      ...words.map((text) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
      event({ type: 'content_block_stop', index: 0 }),
      event({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: DELTAS } }),
      event({ type: 'message_stop' }),
    ],
    read: (frame) => (frame.type === 'content_block_delta' ? frame.delta.text : undefined),
  },
  gemini: {
    make: (options) => new GeminiChatModel(options),
    frames: [
      ...words.map((text) => data({ candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0 }], usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 }, modelVersion: 'm', responseId: 'r' })),
      data({ candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP', index: 0 }], usageMetadata: { promptTokenCount: 5, candidatesTokenCount: DELTAS, totalTokenCount: DELTAS + 5 }, modelVersion: 'm', responseId: 'r' }),
    ],
    read: (frame) => frame.candidates[0].content.parts[0].text,
  },
  dashscope: {
    make: (options) => new DashScopeChatModel(options),
    frames: [
      ...words.map((content, at) => result(at + 1, { output: { choices: [{ message: { content, role: 'assistant' }, finish_reason: 'null' }] }, usage: { total_tokens: at + 6, output_tokens: at + 1, input_tokens: 5 }, request_id: 'r' })),
      result(DELTAS + 1, { output: { choices: [{ message: { content: '', role: 'assistant' }, finish_reason: 'stop' }] }, usage: { total_tokens: DELTAS + 5, output_tokens: DELTAS, input_tokens: 5 }, request_id: 'r' }),
    ],
    read: (frame) => frame.output.choices[0].message.content,
  },
  ollama: {
    make: (options) => new OllamaChatModel(options),
    frames: [
      ...words.map((content) => line({ model: 'm', created_at: '2026-01-05T10:00:00.000000Z', message: { role: 'assistant', content }, done: false })),
      line({ model: 'm', created_at: '2026-01-05T10:00:00.000000Z', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 5, eval_count: DELTAS }),
    ],
    read: (line) => line.message.content,
    byHand: byHandLines,
  },
  deepseek: chat((options) => new DeepSeekChatModel(options), { system_fingerprint: 'fp', usage: null }, { reasoning_content: null }),
  glm: chat((options) => new GLMChatModel(options), {}, { role: 'assistant' }),
  kimi: chat((options) => new KimiChatModel(options), { system_fingerprint: 'fp' }),
  minimax: chat((options) => new MiniMaxChatModel(options), { usage: { total_tokens: 0, total_characters: 0 }, input_sensitive: false, output_sensitive: false, service_tier: 'standard' }, { role: 'assistant', name: 'MiniMax AI', audio_content: '' }),
  xai: chat((options) => new XAIChatModel(options), { system_fingerprint: 'fp' }, { role: 'assistant' }),
};

const shapes = { 'reads of 16 KB': packed, 'one event a read': (frames) => frames.map((frame) => Buffer.from(frame)) };
for (const [shape, cut] of Object.entries(shapes)) {
  const rows = [];
  for (const [name, provider] of Object.entries(providers)) rows.push([name, ...(await compare(provider, cut(provider.frames)))]);
  console.log(`CPU in ms per 1,000 text deltas, ${shape}; median of ${ROUNDS} rounds, both sides in turn. Budget: ${LIMIT}×.`);
  console.log(`${table(['provider', 'by hand', 'agentscope', 'ratio'], rows)}\n`);
}

async function compare({ make, read, byHand = byHandEvents }, pieces) {
  const model = make({ modelName: 'm', apiKey: 'k', fetch: () => Promise.resolve(answer(pieces)) });
  const request = { messages: [new Msg({ content: 'hi' })] };
  const sides = { hand: () => byHand(answer(pieces), read), ours: () => byModel(model, request) };
  const times = { hand: [], ours: [] };
  for (let round = -5; round < ROUNDS; round++) {
    for (const [side, run] of Object.entries(sides)) {
      const start = process.cpuUsage();
      const text = await run();
      const { user, system } = process.cpuUsage(start);
      if (text !== expected) throw new Error(`${side} read another text`);
      if (round >= 0) times[side].push((user + system) / 1_000 / (DELTAS / 1_000));
    }
  }
  const [hand, ours] = [median(times.hand), median(times.ours)];
  return [short(hand), short(ours), `${(ours / hand).toFixed(2)}×`];
}

async function byModel(model, request) {
  let text = '';
  for await (const { content } of model.stream(request)) for (const increment of content) if (increment.type === 'text') text += increment.text;
  return text;
}

async function byHandEvents(response, read) {
  const decoder = new TextDecoder();
  let [text, rest] = ['', ''];
  const reader = response.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const frames = (rest + decoder.decode(piece.value, { stream: true })).split('\n\n');
    rest = frames.pop();
    for (const frame of frames) {
      for (const line of frame.split('\n')) {
        if (!line.startsWith('data:') || line === 'data: [DONE]') continue;
        const piece = read(JSON.parse(line.slice(5)));
        if (piece !== undefined) text += piece;
      }
    }
  }
  return text;
}

async function byHandLines(response, read) {
  const decoder = new TextDecoder();
  let [text, rest] = ['', ''];
  const reader = response.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const lines = (rest + decoder.decode(piece.value, { stream: true })).split('\n');
    rest = lines.pop();
    for (const line of lines) text += read(JSON.parse(line));
  }
  return text;
}

function answer(pieces) {
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (at < pieces.length) controller.enqueue(pieces[at++]);
      else controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

function packed(frames) {
  const bytes = Buffer.from(frames.join(''));
  const pieces = [];
  for (let at = 0; at < bytes.length; at += 16_384) pieces.push(bytes.subarray(at, at + 16_384));
  return pieces;
}

function data(value) {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** As DashScope writes them, without spaces. */
function result(id, value) {
  return `id:${id}\nevent:result\n:HTTP_STATUS/200\ndata:${JSON.stringify(value)}\n\n`;
}

function line(value) {
  return `${JSON.stringify(value)}\n`;
}

function event(value) {
  return `event: ${value.type}\n${data(value)}`;
}
