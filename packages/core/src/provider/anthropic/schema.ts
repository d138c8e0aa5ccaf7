import { cleanSchema } from '../../formatter/index.ts';
import type { NameMap, SchemaNode } from '../../formatter/index.ts';
import { isObject } from '../../internal/index.ts';
import type { JsonSchema } from '../../internal/index.ts';
import type { ModelRequest } from '../../model/index.ts';

type Tools = NonNullable<ModelRequest['tools']>;

const known = new WeakMap<Tools, readonly object[]>();

/** A list of tools is the same object as long as nothing is added, so this is made once. */
export function toolsField(tools: Tools, names: NameMap): readonly object[] {
  let field = known.get(tools);
  if (field === undefined) {
    field = tools.map(({ name, description, inputSchema }) => ({ name: names.toWire(name), ...(description.trim() === '' ? {} : { description }), input_schema: cleanSchema(inputSchema, { node: rootWithoutChoice }) }));
    known.set(tools, field);
  }
  return field;
}

/** The root is one object: choices of objects at the root become one object with the fields of all, of which those that all ask for are required. */
function rootWithoutChoice(node: SchemaNode, isRoot: boolean): SchemaNode {
  if (!isRoot || !CHOICES.some((keyword) => keyword in node)) return node;
  const { anyOf, oneOf, allOf, ...root } = node;
  const choices = [anyOf, oneOf].flatMap(listOf);
  const parts = listOf(allOf);
  const required = [...listOfText(root['required']), ...parts.flatMap((part) => listOfText(part['required'])), ...(choices.length === 0 ? [] : choices.map((one) => listOfText(one['required'])).reduce((a, b) => a.filter((name) => b.includes(name))))];
  const properties = Object.assign({}, ...[root, ...parts, ...choices].map((one) => one['properties'])) as SchemaNode;
  return { ...root, type: 'object', properties, ...(required.length === 0 ? {} : { required: [...new Set(required)] }) };
}

const CHOICES = ['anyOf', 'oneOf', 'allOf'];

function listOf(value: unknown): readonly SchemaNode[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isObject) : [];
}

function listOfText(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as unknown[]).filter((one): one is string => typeof one === 'string') : [];
}

/** Structured output knows fewer words: limits go, objects are closed, choices are `anyOf`. The answer is checked against the whole schema anyway. */
export function outputSchema(schema: JsonSchema): JsonSchema {
  return cleanSchema(schema, { keywords: OUTPUT_KEYWORDS, node: closed });
}

const OUTPUT_KEYWORDS: ReadonlySet<string> = new Set(['type', 'title', 'description', 'properties', 'required', 'items', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref', '$defs', 'definitions', 'format', 'default']);
const FORMATS: ReadonlySet<unknown> = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']);

function closed({ oneOf, ...node }: SchemaNode): SchemaNode {
  const result: SchemaNode = oneOf === undefined ? node : { ...node, anyOf: oneOf };
  if (result['format'] !== undefined && !FORMATS.has(result['format'])) delete result['format'];
  const isObjectType = result['type'] === 'object' || (Array.isArray(result['type']) && (result['type'] as unknown[]).includes('object')) || 'properties' in result;
  return isObjectType ? { ...result, additionalProperties: false } : result;
}

/** Claude from 4.5 on, by name: the family stands before the version then, and a date is no version. Other names belong to other servers. */
export function keepsToSchemas(modelName: string): boolean {
  const [, major = '0', minor = '0'] = /claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(modelName) ?? [];
  return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 5);
}
