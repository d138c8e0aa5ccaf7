// The answers of the mock model, as bytes. The name of the model in the request picks one:
//   text-N      N text deltas of four characters, 16 events in one socket write
//   drip-N      the same deltas, one event in one write: what a slow model looks like
//   tools-K     K rounds of one `add` call each, then a short text
//   parallel-K  K `add` calls in one answer, then a short text
// The round is the number of tool results in the request, so the server keeps nothing between requests.

const EVENTS_PER_WRITE = 16;
const ARGUMENT_PIECES = 6;
const TEXTS = ['One ', 'two ', 'thre', 'e, f', 'our ', '"fiv', 'e", ', 'six\n', '7 & ', '8, n', 'ine,', ' ten', ' 11 ', 'and ', '1,2 ', 'end '];

/** Characters of one text delta. */
export const DELTA_LENGTH = 4;

const known = new Map();

/** The socket writes for one request, made once; `undefined` for a name that is no scenario. */
export function writesFor(model, round) {
  const key = `${model}@${round}`;
  if (!known.has(key)) known.set(key, build(model, round));
  return known.get(key);
}

function build(model, round) {
  const [, kind, digits] = /^(text|drip|tools|parallel)-(\d+)$/.exec(model) ?? [];
  if (kind === undefined) return undefined;
  const size = Number(digits);
  const answer = answerOf({ kind, size, round });
  const lines = frames(answer, `chatcmpl-${model}-${round}`, model);
  return inWrites(lines, kind === 'drip' ? 1 : EVENTS_PER_WRITE);
}

function answerOf({ kind, size, round }) {
  if (kind === 'text' || kind === 'drip') return text(size);
  if (kind === 'tools' && round < size) return calls([round]);
  if (kind === 'parallel' && round === 0) return calls(Array.from({ length: size }, (_, at) => at));
  return { deltas: ['All ', `${size} `, 'done', '.'].map((content) => ({ content })), finish: 'stop' };
}

const text = (size) => ({ deltas: Array.from({ length: size }, (_, at) => ({ content: TEXTS[at % TEXTS.length] })), finish: 'stop' });

const calls = (numbers) => ({ deltas: numbers.flatMap((number, index) => callDeltas(number, index)), finish: 'tool_calls' });

function callDeltas(number, index) {
  const json = JSON.stringify({ a: 1000 + number, b: 3 * number + 11 });
  const step = Math.ceil(json.length / ARGUMENT_PIECES);
  const pieces = Array.from({ length: ARGUMENT_PIECES }, (_, at) => json.slice(at * step, (at + 1) * step)).filter((piece) => piece !== '');
  const opening = { index, id: `call_${String(number).padStart(8, '0')}`, type: 'function', function: { name: 'add', arguments: '' } };
  return [opening, ...pieces.map((piece) => ({ index, function: { arguments: piece } }))].map((call) => ({ tool_calls: [call] }));
}

function frames({ deltas, finish }, id, model) {
  const chunk = (choices, more = {}) => {
    const body = { id, object: 'chat.completion.chunk', created: 1_700_000_000, model, system_fingerprint: 'fp_mock', choices, ...more };
    return `data: ${JSON.stringify(body)}\n\n`;
  };
  const choice = (delta, finish_reason = null) => chunk([{ index: 0, delta, logprobs: null, finish_reason }]);
  const usage = { prompt_tokens: 100, completion_tokens: deltas.length, total_tokens: 100 + deltas.length };
  return [choice({ role: 'assistant', content: '' }), ...deltas.map((delta) => choice(delta)), choice({}, finish), chunk([], { usage }), 'data: [DONE]\n\n'];
}

function inWrites(lines, perWrite) {
  const count = Math.ceil(lines.length / perWrite);
  return Array.from({ length: count }, (_, at) => Buffer.from(lines.slice(at * perWrite, (at + 1) * perWrite).join('')));
}
