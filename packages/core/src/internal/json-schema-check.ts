import { Validator } from '@cfworker/json-schema';
import type { OutputUnit } from '@cfworker/json-schema';
import { isObject } from './json.ts';
import type { JsonSchema } from './schema.ts';
import { pathText } from './schema-issue.ts';
import type { SchemaIssue } from './schema-issue.ts';

/** A check for one JSON Schema 2020-12. Loaded lazily by `validate.ts`. */
export function createJsonSchemaCheck(schema: JsonSchema): (value: unknown) => readonly SchemaIssue[] {
  // A copy, because the validator marks what it was given, and a tool's schema may be frozen.
  const validator = new Validator(structuredClone(schema) as ConstructorParameters<typeof Validator>[0], '2020-12', false);
  return (value) => {
    const { valid, errors } = validator.validate(bare(value));
    return valid ? [] : leavesOf(errors).map((unit) => toIssue(unit, value));
  };
}

/** Without prototypes: the validator asks `name in object`, and `constructor` must not be found there. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (!isObject(value)) return value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [name, member] of Object.entries(value)) copy[name] = bare(member);
  return copy;
}

/** Errors that only say "something below is wrong". */
const WRAPPERS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'additionalProperties', 'items', 'prefixItems', '$ref', '$dynamicRef', 'allOf', 'unevaluatedProperties']);
const CHOICES: ReadonlySet<string> = new Set(['anyOf', 'oneOf']);

/** What to tell: the innermost errors; of a choice that fits nothing, the choice itself, unless something deeper is wrong. */
function leavesOf(errors: readonly OutputUnit[]): readonly OutputUnit[] {
  const choices = errors.filter(({ keyword }) => CHOICES.has(keyword));
  const leaves = errors.filter((unit) => !WRAPPERS.has(unit.keyword) && !choices.some((choice) => choice !== unit && isWithin(unit, choice)));
  return leaves.length > 0 ? leaves : errors.slice(-1);
}

function isWithin(unit: OutputUnit, choice: OutputUnit): boolean {
  return unit.instanceLocation === choice.instanceLocation && unit.keywordLocation.startsWith(`${choice.keywordLocation}/`);
}

function toIssue({ keyword, instanceLocation, error }: OutputUnit, value: unknown): SchemaIssue {
  const path = pathOf(instanceLocation, value);
  const missing = keyword === 'required' ? /property "(.*)"\.$/s.exec(error)?.[1] : undefined;
  if (missing !== undefined) return { path: pathText([...path, missing]), message: 'is required' };
  return { path: pathText(path), message: wording(keyword, error) };
}

function wording(keyword: string, error: string): string {
  const type = /^Instance type "(.*)" is invalid\. Expected "(.*)"\.$/s.exec(error);
  if (type) return `must be ${type[2]?.replaceAll('", "', ' or ')}, is ${type[1]}`;
  if (keyword === 'false') return 'is not a known field';
  if (CHOICES.has(keyword)) return 'fits none of the allowed forms';
  return error.replace(/^Instance /, '').replace(/\.$/, '');
}

/** A JSON pointer as steps; a number is an index where the value really has a list there. */
function pathOf(pointer: string, value: unknown): readonly (string | number)[] {
  let at: unknown = value;
  return pointer.split('/').slice(1).map((step) => {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    const key = Array.isArray(at) ? Number(name) : name;
    at = typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[key] : undefined;
    return key;
  });
}
