import { resolveRef } from '../../formatter/index.ts';
import type { SchemaNode } from '../../formatter/index.ts';
import { isObject } from '../../internal/index.ts';
import type { JsonSchema } from '../../internal/index.ts';

/** Nodes of a schema with its references in place: beyond that, recursion is cut earlier. Schemas that name each other grow with the power of their number. */
const MOST_NODES = 1_000;
/** How often a schema may stand within itself. */
const ROUNDS = 2;

/**
 * A copy with only these keywords, in which every reference is replaced by what it names. Recursion ends in an object that says no more
 * than its description, as early as it must for the whole to stay small.
 */
export function inlineRefs(schema: JsonSchema, keywords: ReadonlySet<string>): SchemaNode {
  for (let depth = 8; ; depth--) {
    const budget = { left: depth > 1 ? MOST_NODES : Infinity };
    const result = copied(schema, { root: schema, keywords, depth, budget, path: [] });
    if (budget.left >= 0) return isObject(result) ? result : {};
  }
}

interface Copy {
  readonly root: JsonSchema;
  readonly keywords: ReadonlySet<string>;
  /** References within references. */
  readonly depth: number;
  /** Nodes that may still be made. */
  readonly budget: { left: number };
  /** References being followed, from the root down to here. */
  readonly path: readonly string[];
}

function copied(schema: unknown, copy: Copy): unknown {
  if (!isObject(schema)) return schema === true ? {} : schema;
  if (--copy.budget.left < 0) return {};
  const reference = schema['$ref'];
  if (typeof reference === 'string') return followed(schema, reference, copy);
  const node: SchemaNode = {};
  for (const [keyword, value] of Object.entries(schema)) if (copy.keywords.has(keyword)) node[keyword] = copiedValue(keyword, value, copy);
  return node;
}

function copiedValue(keyword: string, value: unknown, copy: Copy): unknown {
  if (keyword === 'properties' && isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copied(field, copy)]));
  if (LISTS.has(keyword) && Array.isArray(value)) return value.map((part: unknown) => copied(part, copy));
  return keyword === 'items' ? copied(value, copy) : value;
}

const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']);

/** What is said beside the reference goes on top of what it names. */
function followed({ $ref: _reference, ...beside }: Record<string, unknown>, reference: string, copy: Copy): unknown {
  const target = resolveRef(reference, copy.root);
  const { path, depth } = copy;
  const isCut = path.length >= depth || path.filter((one) => one === reference).length >= ROUNDS;
  if (target !== undefined && !isCut) return copied({ ...target, ...beside }, { ...copy, path: [...path, reference] });
  return { type: 'object', description: beside['description'] ?? target?.['description'] };
}
