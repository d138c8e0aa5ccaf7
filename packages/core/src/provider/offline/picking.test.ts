import { expect, test } from 'vitest';
import type { JsonObject, JsonSchema } from '../../internal/index.ts';
import type { ToolSchema } from '../../model/index.ts';
import { planFor } from './plan.ts';

interface Exercise {
  readonly tool: ToolSchema;
  readonly request: string;
  readonly input: JsonObject;
}
const object = (properties: JsonSchema['properties'] & object, required = Object.keys(properties)): JsonSchema => ({ type: 'object', properties, required });
const string = (description?: string): JsonSchema => ({ type: 'string', ...(description !== undefined && { description }) });

/** A small generator with a seed, so that a failing seed can be looked at. */
function random(seed: number): (limit: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Ten tools with made-up names, each with another kind of parameter, and one request for each. */
function exercises(seed: number): readonly Exercise[] {
  const next = random(seed);
  const pick = <T>(list: readonly T[]): T => list[next(list.length)] as T;
  const word = (): string => Array.from({ length: 3 }, () => pick(['b', 'dr', 'f', 'gl', 'k', 'm', 'p', 'qu', 'st', 'tr', 'v', 'z']) + pick(['a', 'e', 'i', 'o', 'u'])).join('') + pick(['k', 'l', 'm', 'n', 'x']);
  const names = Array.from({ length: 10 }, word);
  const [n0 = '', n1 = '', n2 = '', n3 = '', n4 = '', n5 = '', n6 = '', n7 = '', n8 = '', n9 = ''] = names;
  const [a, b] = [next(90) + 2, next(90) + 2];
  const city = pick(['Oslo', 'Lima', 'New York', 'Osaka', 'Paris']);
  const [zoneCity, zone] = pick([['Tokyo', 'Asia/Tokyo'], ['Berlin', 'Europe/Berlin'], ['San Francisco', 'America/Los_Angeles']] as const);
  const mode = pick(['soft', 'loud', 'dark']);
  const phrase = pick(['the sea is calm', 'we leave at dawn', 'nothing is lost']);
  const file = pick(['./data/in.csv', 'reports/may.txt', '/tmp/a.log']);
  const date = pick(['2026-03-05', '2027-12-31']);
  const verb = pick(['measure', 'check', 'inspect']);
  const tool = (name: string, description: string, inputSchema: JsonSchema): ToolSchema => ({ name, description, inputSchema });
  return [
    { tool: tool(`${n0}_level`, `Measures the ${n0} of a city.`, object({ city: string('Name of the city') })), request: `What is the ${n0} level in ${city}?`, input: { city } },
    { tool: tool(`eval_${n1}`, `Works out a ${n1} formula.`, object({ expression: string('arithmetic expression') })), request: `Work out the ${n1} of ${a} * (${b} + 1)`, input: { expression: `${a} * (${b} + 1)` } },
    { tool: tool(`${n2}Clock`, `Shows ${n2} time somewhere.`, object({ timezone: string('IANA zone') })), request: `Show me ${n2} time in ${zoneCity}`, input: { timezone: zone } },
    { tool: tool(`set_${n3}`, `Switches the ${n3} to a mode.`, object({ mode: { enum: ['soft', 'loud', 'dark'] } })), request: `Please switch the ${n3} to ${mode}`, input: { mode } },
    { tool: tool(`${n4}_say`, `Speaks through the ${n4}.`, object({ message: string('what to say') })), request: `Use the ${n4} to say "${phrase}"`, input: { message: phrase } },
    { tool: tool(`${verb}-${n5}`, `Counts the ${n5} in a file.`, object({ path: string(), recursive: { type: 'boolean' } }, ['path'])), request: `${verb} ${n5} in ${file}, recursive please`, input: { path: file, recursive: true } },
    { tool: tool(`book_${n6}`, `Books a ${n6} for some guests.`, object({ date: { type: 'string', format: 'date' }, guests: { type: 'integer' } })), request: `Book a ${n6} for ${a} guests on ${date}`, input: { date, guests: a } },
    { tool: tool(`${n7}_mean`, `The ${n7} mean of some numbers.`, object({ numbers: { type: 'array', items: { type: 'number' } } })), request: `What is the ${n7} mean of ${a}, ${b} and 7.5?`, input: { numbers: [a, b, 7.5] } },
    { tool: tool(`notify_${n8}`, `Writes to the ${n8} team.`, object({ to: { type: 'string', format: 'email' }, subject: string() })), request: `Notify ${n8} at ann@example.com with subject "${phrase}"`, input: { to: 'ann@example.com', subject: phrase } },
    { tool: tool(`grow_${n9}`, `Grows a ${n9} to a size.`, object({ size: object({ width: { type: 'number' }, height: { type: 'number' } }) })), request: `Grow the ${n9} with width ${a} and height ${b}`, input: { size: { width: a, height: b } } },
  ];
}

test.each(Array.from({ length: 25 }, (_, seed) => seed))('picks and fills at least eight of ten tools it has never seen (seed %i)', (seed) => {
  const all = exercises(seed);
  const tools = all.map(({ tool }) => tool);
  const wrong = all.flatMap(({ tool, request, input }) => {
    const steps = planFor(request, tools);
    const [step] = steps;
    const isRight = steps.length === 1 && step?.type === 'call' && step.tool === tool && JSON.stringify(sorted(step.input)) === JSON.stringify(sorted(input));
    return isRight ? [] : [{ request, wanted: input, got: steps.map((one) => (one.type === 'call' ? one.input : one.type)) }];
  });
  expect(wrong.length, JSON.stringify(wrong, null, 1)).toBeLessThanOrEqual(2);
});

const integer = (description = ''): JsonSchema => ({ type: 'integer', description });
const number = (description = ''): JsonSchema => ({ type: 'number', description });
const day: JsonSchema = { type: 'string', format: 'date' };
type Row = readonly [name: string, description: string, schema: JsonSchema, request: string, input: JsonObject];
const everyday: Readonly<Record<string, readonly Row[]>> = {
  errands: [
    ['get_exchange_rate', 'Get the exchange rate between two currencies', object({ base: string('Base currency code, e.g. USD'), target: string('Target currency code, e.g. EUR') }), 'what is the exchange rate from USD to EUR?', { base: 'USD', target: 'EUR' }],
    ['create_calendar_event', 'Create an event in the calendar', object({ title: string('Title of the event'), date: day, time: string('Start time HH:MM') }, ['title', 'date']), 'Schedule a calendar event "Team lunch" on 2026-04-01 at 12:30', { title: 'Team lunch', date: '2026-04-01', time: '12:30' }],
    ['lookup_order', 'Look up an order by its id', object({ orderId: string('The order id, e.g. ORD-1234') }), 'where is my order ORD-9921?', { orderId: 'ORD-9921' }],
    ['set_thermostat', 'Set the target temperature of a room', object({ room: { enum: ['kitchen', 'bedroom', 'living room'] }, celsius: number('Temperature in Celsius') }), 'set the living room to 21.5 degrees', { room: 'living room', celsius: 21.5 }],
    ['play_music', 'Play a song', object({ song: string('Name of the song') }), 'play "Yesterday" by The Beatles', { song: 'Yesterday' }],
    ['count_words', 'Count the words in a text', object({ text: string('The text to count') }), 'count the words in "to be or not to be"', { text: 'to be or not to be' }],
    ['fetch_page', 'Download a web page and return its text', object({ url: { type: 'string', format: 'uri' } }), 'download https://example.com/a?b=1 please', { url: 'https://example.com/a?b=1' }],
    ['toggle_light', 'Turn a light on or off', object({ room: string('Which room'), on: { type: 'boolean', description: 'true to switch it on' } }), 'turn off the light in the kitchen', { room: 'kitchen', on: false }],
    ['random_number', 'Generate a random integer between min and max', object({ min: integer(), max: integer() }), 'give me a random number between 5 and 50', { min: 5, max: 50 }],
    ['define_word', 'Look up the definition of a word in the dictionary', object({ word: string('The word to define') }), 'define serendipity', { word: 'serendipity' }],
  ],
  office: [
    ['bmi_calculator', 'Computes the body mass index', object({ weightKg: number('weight in kilograms'), heightCm: number('height in centimetres') }), 'what is my BMI with weight 80 and height 180?', { weightKg: 80, heightCm: 180 }],
    ['list_directory', 'List the files of a directory', object({ path: string('Directory path'), showHidden: { type: 'boolean', description: 'include hidden files' } }, ['path']), 'list the files in /var/log including hidden ones', { path: '/var/log', showHidden: true }],
    ['repository_issue', 'Open an issue in a code repository', object({ repo: string('owner/name'), title: string('issue title'), labels: { type: 'array', items: string() } }, ['repo', 'title']), 'open an issue in acme/web titled "Login fails" with labels bug, urgent', { repo: 'acme/web', title: 'Login fails', labels: ['bug', 'urgent'] }],
    ['hash_text', 'Hash text with an algorithm', object({ text: string(), algorithm: { type: 'string', enum: ['md5', 'sha1', 'sha256'] } }), 'compute the sha256 hash of "hello world"', { text: 'hello world', algorithm: 'sha256' }],
    ['days_between', 'Number of days between two dates', object({ start: day, end: day }), 'how many days are there between 2026-01-01 and 2026-03-01?', { start: '2026-01-01', end: '2026-03-01' }],
    ['sort_numbers', 'Sort numbers', object({ numbers: { type: 'array', items: number() }, order: { enum: ['ascending', 'descending'] } }, ['numbers']), 'sort 5, 3, 9 and 1 in descending order', { numbers: [5, 3, 9, 1], order: 'descending' }],
    ['wiki_summary', 'Summary of a Wikipedia article', object({ topic: string('the subject of the article'), sentences: integer() }, ['topic']), 'give me the wikipedia summary of Alan Turing', { topic: 'Alan Turing' }],
    ['tip', 'Calculates the tip for a bill', object({ amount: number('bill total'), percent: number('tip percentage') }), 'what is the tip on a bill of 84.50 at 18 percent?', { amount: 84.5, percent: 18 }],
    ['translate_text', 'Translate text to a language', object({ text: string('text'), target_language: string('language code or name') }), 'translate "good night" to Spanish', { text: 'good night', target_language: 'Spanish' }],
    ['get_time', 'Get the local time of a city', object({ city: string('city name') }), "what's the time in Sydney", { city: 'Sydney' }],
  ],
  travel: [
    ['reverse_string', 'Reverses a string', object({ value: string('The string to reverse') }), 'reverse the string "abc def"', { value: 'abc def' }],
    ['temperature_convert', 'Convert temperature', object({ value: number(), unit: { enum: ['celsius', 'fahrenheit'], description: 'unit to convert to' } }), 'convert 100 to fahrenheit', { value: 100, unit: 'fahrenheit' }],
    ['find_restaurants', 'Find restaurants near a place', object({ location: string('where'), maxPrice: integer() }, ['location']), 'find restaurants in Munich', { location: 'Munich' }],
    ['book_hotel', 'Book a hotel room', object({ city: string(), checkIn: day, checkOut: day, guests: integer() }), 'book a hotel in Vienna from 2026-07-01 to 2026-07-05 for 2 guests', { city: 'Vienna', checkIn: '2026-07-01', checkOut: '2026-07-05', guests: 2 }],
    ['prime_check', 'Checks whether a number is prime', object({ n: integer('the number') }), 'is 97 a prime?', { n: 97 }],
    ['append_note', 'Append a note to the notebook', object({ note: string('text of the note') }), 'note: call the dentist', { note: 'call the dentist' }],
    ['git_log', 'Show the commit log of a branch', object({ branch: string('branch name'), count: integer('how many commits') }, ['branch']), 'show the last 5 commits of branch main', { branch: 'main', count: 5 }],
    ['send_sms', 'Send a text message to a phone number', object({ phone: { type: 'string', pattern: '^\\+\\d{7,15}$' }, message: string('what to send') }), 'send an sms to +4915112345678 saying I am late', { phone: '+4915112345678', message: 'I am late' }],
    ['color_hex', 'Hex code of a colour', object({ color: string('name of the colour') }), 'what is the hex code of turquoise?', { color: 'turquoise' }],
    ['server_status', 'Reports the status of a server', object({ server: string('host name of the server') }), 'status of server web-03', { server: 'web-03' }],
  ],
};

test.each(Object.entries(everyday))('picks and fills tools of everyday names: %s', (_name, rows) => {
  const tools = rows.map(([name, description, inputSchema]): ToolSchema => ({ name, description, inputSchema }));
  const got = rows.map(([, , , request]) => [request, planFor(request, tools).map((step) => (step.type === 'call' ? [step.tool.name, sorted(step.input)] : step.type))]);
  expect(got).toEqual(rows.map(([name, , , request, input]) => [request, [[name, sorted(input)]]]));
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a.localeCompare(b)).map(([key, member]) => [key, sorted(member)]));
}

const household: readonly ToolSchema[] = [
  { name: 'calculate', description: 'Evaluates an arithmetic expression.', inputSchema: object({ expression: string() }) },
  { name: 'current_time', description: 'The current time in a time zone.', inputSchema: object({ zone: string('IANA time zone') }) },
  { name: 'get_weather', description: 'Current weather of a city.', inputSchema: object({ city: string('English name of the city'), days: { type: 'integer', description: 'days of forecast' } }, ['city']) },
  { name: 'convert_units', description: 'Converts a value between units of length.', inputSchema: object({ value: { type: 'number' }, from: { enum: ['km', 'mi', 'm', 'ft'] }, to: { enum: ['km', 'mi', 'm', 'ft'] } }) },
  { name: 'find_flights', description: 'Flights between two cities on a day.', inputSchema: object({ from: string(), to: string(), cabin: { enum: ['economy', 'business'] } }, ['from', 'to']) },
  { name: 'send_email', description: 'Sends an e-mail.', inputSchema: object({ to: { type: 'string', format: 'email' }, subject: string(), body: string() }) },
  { name: 'create_reminder', description: 'Sets a reminder.', inputSchema: object({ text: string(), at: string('time') }, ['text']) },
  { name: 'translate', description: 'Translates text into another language.', inputSchema: object({ text: string(), language: string() }) },
  { name: 'readFile', description: 'Reads a text file.', inputSchema: object({ path: string(), limit: { type: 'integer', description: 'maximum number of lines' } }, ['path']) },
  { name: 'search_web', description: 'Searches the web.', inputSchema: object({ query: string() }) },
  { name: 'stock_price', description: 'Price of a share.', inputSchema: object({ ticker: { type: 'string', pattern: '^[A-Z]{2,5}$' } }) },
  { name: 'add_todo', description: 'Adds a task to the list.', inputSchema: object({ title: string(), priority: { enum: ['low', 'medium', 'high'] } }, ['title']) },
];

test.each<[string, readonly (readonly [string, JsonObject])[]]>([
  ['what is 17 * 23, and what time is it in Tokyo?', [['calculate', { expression: '17 * 23' }], ['current_time', { zone: 'Asia/Tokyo' }]]],
  ['what time is it in tokyo and berlin?', [['current_time', { zone: 'Asia/Tokyo' }], ['current_time', { zone: 'Europe/Berlin' }]]],
  ['What is the time in New York? And the weather in Paris?', [['current_time', { zone: 'America/New_York' }], ['get_weather', { city: 'Paris' }]]],
  ['weather in San Francisco for 3 days', [['get_weather', { days: 3, city: 'San Francisco' }]]],
  ['17 times 4', [['calculate', { expression: '17 * 4' }]]],
  ['what is 15% of 1,200', [['calculate', { expression: '15 / 100 * 1200' }]]],
  ['square root of 144 plus 2 squared', [['calculate', { expression: 'sqrt(144) + 2 ^ 2' }]]],
  ['what time is it in Atlantis?', [['current_time', { zone: 'Atlantis' }]]],
  ['divide 10 by 4', [['calculate', { expression: '10 / 4' }]]],
  ['subtract 3 from 10 and add 2 and 2', [['calculate', { expression: '10 - 3' }], ['calculate', { expression: '2 + 2' }]]],
  ['min(4, 7) + 1', [['calculate', { expression: 'min(4, 7) + 1' }]]],
  ['convert 5 km to miles', [['convert_units', { value: 5, from: 'km', to: 'mi' }]]],
  ['how many feet are 12 m?', [['convert_units', { value: 12, from: 'm', to: 'ft' }]]],
  ['find flights from Berlin to Shanghai in business', [['find_flights', { from: 'Berlin', to: 'Shanghai', cabin: 'business' }]]],
  ['send an email to ann@example.com with subject Lunch and body See you at noon', [['send_email', { to: 'ann@example.com', subject: 'Lunch', body: 'See you at noon' }]]],
  ['remind me to buy milk at 10:30', [['create_reminder', { text: 'buy milk', at: '10:30' }]]],
  ['translate "how are you" into French', [['translate', { text: 'how are you', language: 'French' }]]],
  ['translate good morning to German', [['translate', { text: 'good morning', language: 'German' }]]],
  ['read ./notes/todo.md', [['readFile', { path: './notes/todo.md' }]]],
  ['show the first 20 lines of README.md', [['readFile', { path: 'README.md', limit: 20 }]]],
  ['search the web for cats and dogs', [['search_web', { query: 'cats and dogs' }]]],
  ['what is the price of AAPL?', [['stock_price', { ticker: 'AAPL' }]]],
  ['add buy bread to my todo list with high priority', [['add_todo', { title: 'buy bread', priority: 'high' }]]],
  ['现在东京几点?', [['current_time', { zone: 'Asia/Tokyo' }]]],
])('%s', (request, expected) => {
  expect(planFor(request, household).map((step) => (step.type === 'call' ? [step.tool.name, sorted(step.input)] : step))).toEqual(expected.map(([name, input]) => [name, sorted(input)]));
});
