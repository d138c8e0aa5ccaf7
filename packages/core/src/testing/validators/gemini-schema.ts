import { checkKnown, isFields } from './shared.ts';
import type { Fields, Problems } from './shared.ts';

const KEYWORDS = [
  'type', 'format', 'title', 'description', 'nullable', 'enum', 'items', 'minItems', 'maxItems', 'properties', 'required', 'anyOf', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern',
  'propertyOrdering', 'default', 'example',
];
const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'];
const FORMATS: Readonly<Record<string, readonly string[]>> = { string: ['enum', 'date-time'], integer: ['int32', 'int64'], number: ['float', 'double'] };

/** The subset of OpenAPI Gemini takes: every node has one type or a choice, lists say what they hold, enums are texts, required names exist. */
export function checkGeminiSchema(schema: unknown, path: string, problems: Problems): void {
  if (!isFields(schema)) return problems.add(path, 'an object');
  checkKnown(schema, KEYWORDS, { problems, path });
  const { type, anyOf, nullable, enum: values, format } = schema;
  problems.check(nullable === undefined || typeof nullable === 'boolean', path, 'nullable is true or false');
  if (anyOf !== undefined) return checkChoice(anyOf, path, problems);
  if (!problems.check(typeof type === 'string' && TYPES.includes(type), path, 'one type')) return;
  problems.check(values === undefined || (type === 'string' && Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'string' && value !== '')), path, 'an enum of texts, on texts only');
  problems.check(format === undefined || FORMATS[String(type)]?.includes(String(format)) === true, path, 'a format it knows');
  if (type === 'array') checkGeminiSchema(schema['items'], `${path}.items`, problems);
  if (type === 'object') checkObject(schema, path, problems);
}

function checkChoice(anyOf: unknown, path: string, problems: Problems): void {
  if (!problems.check(Array.isArray(anyOf) && anyOf.length > 0, path, 'a choice that is not empty')) return;
  (anyOf as readonly unknown[]).forEach((choice, at) => checkGeminiSchema(choice, `${path}.anyOf[${at}]`, problems));
}

function checkObject({ properties = {}, required = [] }: Fields, path: string, problems: Problems): void {
  if (!isFields(properties)) return problems.add(path, 'properties are an object');
  for (const [name, field] of Object.entries(properties)) checkGeminiSchema(field, `${path}.properties.${name}`, problems);
  problems.check(Array.isArray(required) && required.every((name) => typeof name === 'string' && Object.hasOwn(properties, name)), path, 'required names are properties');
}
