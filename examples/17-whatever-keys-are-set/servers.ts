// One small server that plays every provider: it calls the tool, and when it was given the result it says what that was.
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const sse = (frames: readonly object[], end = ''): string => `${frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')}${end}`;
interface Frame {
  readonly type: string;
  readonly [name: string]: unknown;
}
const named = (frames: readonly Frame[]): string => frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join('');

/** By how the path ends: what the first and the second request are answered. */
const ANSWERS: readonly { readonly path: RegExp; readonly type: string; readonly call: string; readonly say: string }[] = [
  {
    path: /\/chat\/completions$/,
    type: 'text/event-stream',
    call: chatChunks([{ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{}' } }] }], 'tool_calls'),
    say: chatChunks([{ content: 'It is ' }, { content: '12:34.' }], 'stop'),
  },
  {
    path: /\/responses$/,
    type: 'text/event-stream',
    call: responsesEvents({ type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'clock', arguments: '{}', status: 'completed' }),
    say: responsesEvents({ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'It is 12:34.', annotations: [] }] }, 'It is 12:34.'),
  },
  {
    path: /\/v1\/messages$/,
    type: 'text/event-stream',
    call: anthropicEvents({ type: 'tool_use', id: 'toolu_1', name: 'clock', input: {} }, { type: 'input_json_delta', partial_json: '{}' }, 'tool_use'),
    say: anthropicEvents({ type: 'text', text: '' }, { type: 'text_delta', text: 'It is 12:34.' }, 'end_turn'),
  },
  {
    path: /:streamGenerateContent/,
    type: 'text/event-stream',
    call: geminiChunk({ functionCall: { name: 'clock', args: {} } }),
    say: geminiChunk({ text: 'It is 12:34.' }),
  },
  {
    path: /\/api\/chat$/,
    type: 'application/x-ndjson',
    call: ollamaLines({ role: 'assistant', content: '', tool_calls: [{ function: { name: 'clock', arguments: {} } }] }),
    say: ollamaLines({ role: 'assistant', content: 'It is 12:34.' }),
  },
  {
    path: /\/generation$/,
    type: 'text/event-stream',
    call: dashscopeFrames({ role: 'assistant', content: '', tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{}' } }] }, 'tool_calls'),
    say: dashscopeFrames({ role: 'assistant', content: 'It is 12:34.' }, 'stop'),
  },
];

export async function playProviders(): Promise<{ readonly url: string; close(): void }> {
  const server: Server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('No port.');
  return { url: `http://127.0.0.1:${address.port}`, close: () => void server.close() };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const piece of request) body += String(piece);
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const found = ANSWERS.find((each) => each.path.test(path));
  response.writeHead(found ? 200 : 404, { 'content-type': found?.type ?? 'application/json' });
  response.end(found ? (body.includes('12:34') ? found.say : found.call) : JSON.stringify({ error: { message: `Nobody plays ${path}.` } }));
}

function chatChunks(deltas: readonly object[], reason: string): string {
  const chunk = (delta: object, finish: string | null = null): object => ({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] });
  const usage = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 } };
  return sse([...deltas.map((delta) => chunk(delta)), chunk({}, reason), usage], 'data: [DONE]\n\n');
}

function responsesEvents(item: Frame, text?: string): string {
  const usage = { input_tokens: 20, output_tokens: 5, total_tokens: 25 };
  const said = text === undefined
    ? [{ type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'fc_1', delta: '{}' }]
    : [
        { type: 'response.content_part.added', output_index: 0, item_id: 'msg_1', content_index: 0, part: { type: 'output_text', text: '', annotations: [] } },
        { type: 'response.output_text.delta', output_index: 0, item_id: 'msg_1', content_index: 0, delta: text },
      ];
  return named([
    { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, ...(text === undefined ? { arguments: '' } : { content: [] }) } },
    ...said,
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'r', status: 'completed', output: [item], usage } },
  ]);
}

function anthropicEvents(block: object, delta: object, reason: string): string {
  return named([
    { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 20, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]);
}

function geminiChunk(part: object): string {
  return sse([{ candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 5, totalTokenCount: 25 }, responseId: 'g' }]);
}

function ollamaLines(message: object): string {
  const lines = [{ model: 'm', message, done: false }, { model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 20, eval_count: 5 }];
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

function dashscopeFrames(message: object, reason: string): string {
  return sse([{ output: { choices: [{ message, finish_reason: reason }] }, usage: { input_tokens: 20, output_tokens: 5, total_tokens: 25 }, request_id: 'd' }]);
}
