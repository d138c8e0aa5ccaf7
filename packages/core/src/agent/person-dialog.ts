import { describeIssues, isObject } from '../internal/index.ts';
import type { CompiledSchema, JsonObject, JsonSchema, JsonValue } from '../internal/index.ts';
import type { Msg } from '../message/index.ts';

/** What a dialog needs of the place it is held in. */
export interface DialogPlace {
  /** One entry of the person, which may hold line breaks when it was pasted. Rejects when nobody can answer. */
  readLine(prompt: string): Promise<string>;
  say(text: string): void;
}

/** What was said since the person last spoke, as lines. Control characters are left out: what others say must not steer a terminal. */
export function heardText(prompt: readonly Msg[]): string {
  return prompt.map((msg) => `${printable(`${msg.name}: ${msg.getTextContent()}`).trimEnd()}\n`).join('');
}

const FENCE = '"""';

/**
 * Words over one or several lines: a line that ends in `\` goes on in the next, and lines between two of `"""` are taken as they are.
 * `mayBeEmpty`: an empty line is an answer; otherwise it is asked again.
 */
export async function readWords({ readLine }: DialogPlace, { prompt, mayBeEmpty }: { prompt: string; mayBeEmpty: boolean }): Promise<string> {
  for (;;) {
    const first = await readLine(prompt);
    const words = first.trim() === FENCE ? await readFenced(readLine) : await readContinued(readLine, first);
    if (mayBeEmpty || words.trim() !== '') return words;
  }
}

const FURTHER = '… ';

async function readFenced(readLine: DialogPlace['readLine']): Promise<string> {
  const lines: string[] = [];
  for (let line = await readLine(FURTHER); line.trim() !== FENCE; line = await readLine(FURTHER)) lines.push(line);
  return lines.join('\n');
}

async function readContinued(readLine: DialogPlace['readLine'], first: string): Promise<string> {
  let words = first;
  while (words.endsWith('\\')) words = `${words.slice(0, -1)}\n${await readLine(FURTHER)}`;
  return words;
}

/** Asks field by field until the whole fits the schema; what does not fit is told and asked again. An empty answer leaves a field out. */
export async function readFields(place: DialogPlace, { jsonSchema, validate }: CompiledSchema): Promise<JsonObject> {
  const answers = new Map<string, JsonValue>();
  let open = fieldsOf(jsonSchema);
  for (;;) {
    for (const field of open) await askField(place, field, answers);
    const checked = await validate(Object.fromEntries(answers));
    if (checked.ok) return checked.value as JsonObject;
    place.say(`${printable(describeIssues(checked.issues))}\n`);
    const named = fieldsOf(jsonSchema).filter(({ name }) => checked.issues.some(({ path }) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`)));
    open = named.length > 0 ? named : fieldsOf(jsonSchema);
  }
}

/** Whether there is something to ask field by field. */
export function hasFields(schema: JsonSchema): boolean {
  return fieldsOf(schema).length > 0;
}

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema): readonly Field[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }));
}

async function askField({ readLine }: DialogPlace, field: Field, answers: Map<string, JsonValue>): Promise<void> {
  const text = (await readLine(promptFor(field))).trim();
  answers.delete(field.name);
  const value = text === '' ? undefined : valueOf(text, field.schema);
  if (value !== undefined) answers.set(field.name, value);
}

function promptFor({ name, schema: { description, default: standard, enum: choices, type }, isRequired }: Field): string {
  const kind = choices?.map(String).join(' | ') ?? (type === undefined ? 'JSON' : String(type));
  const rest = standard === undefined ? (isRequired ? '' : ', optional') : `, default ${JSON.stringify(standard)}`;
  return printable(`${name}${description === undefined ? '' : ` - ${description}`} (${kind}${rest}): `).replaceAll('\n', ' ');
}

/** What the text means for this type; the text itself where it means nothing, so that the check can say what is wrong. */
function valueOf(text: string, { type, enum: choices }: JsonSchema): JsonValue {
  const chosen = choices?.find((choice) => String(choice) === text);
  if (chosen !== undefined) return chosen;
  if (type === 'string') return text;
  if (type === 'boolean' && /^(y|yes|n|no)$/i.test(text)) return /^y/i.test(text);
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) && Object.hasOwn(value, '__proto__') ? text : value;
  } catch {
    return text;
  }
}

function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is meant
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
