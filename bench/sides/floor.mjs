// The floor: `fetch`, a hand-written cut of the stream and a hand-written tool loop. No events, no messages, no checks.
import { z } from 'zod';
import { add, DESCRIPTION, PROMPT, schema, SYSTEM } from './task.mjs';

const tools = [{ type: 'function', function: { name: 'add', description: DESCRIPTION, parameters: z.toJSONSchema(schema) } }];

/** Runs one conversation; gives the characters of text and the tool results seen. */
export async function run(baseUrl, model) {
  const seen = { characters: 0, results: 0 };
  const messages = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: PROMPT },
  ];
  for (;;) {
    const { content, calls } = await answer(baseUrl, { model, messages }, seen);
    if (calls.length === 0) return seen;
    messages.push({ role: 'assistant', content: content || null, tool_calls: calls });
    for (const call of calls) {
      const result = add(schema.parse(JSON.parse(call.function.arguments)));
      messages.push({ role: 'tool', tool_call_id: call.id, content: String(result) });
      seen.results++;
    }
  }
}

async function answer(baseUrl, { model, messages }, seen) {
  let content = '';
  const calls = [];
  for await (const { choices } of chunks(baseUrl, { model, messages, tools, stream: true, stream_options: { include_usage: true } })) {
    const delta = choices[0]?.delta;
    if (delta?.content) {
      content += delta.content;
      seen.characters += delta.content.length;
    }
    for (const piece of delta?.tool_calls ?? []) join(calls, piece);
  }
  return { content, calls };
}

function join(calls, { index, id, function: { name, arguments: text } }) {
  calls[index] ??= { id, type: 'function', function: { name, arguments: '' } };
  calls[index].function.arguments += text;
}

async function* chunks(baseUrl, body) {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer x' };
  const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of response.body) {
    rest += decoder.decode(bytes, { stream: true });
    let from = 0;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n', from)) {
      const data = rest.slice(from + 'data: '.length, end);
      from = end + 2;
      if (data === '[DONE]') return;
      yield JSON.parse(data);
    }
    rest = rest.slice(from);
  }
}
