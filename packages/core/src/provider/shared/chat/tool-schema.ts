import { cleanSchema } from '../../../formatter/index.ts';
import type { SchemaNode } from '../../../formatter/index.ts';
import { isObject } from '../../../internal/index.ts';
import type { JsonSchema } from '../../../internal/index.ts';
import type { CompatibleProfile } from './profile.ts';

/** A schema in the server's dialect. Everywhere the root is an object and lists say what they hold: both are asked for. */
export function toolSchema(schema: JsonSchema, { closedObjects, typeBesideAnyOf, tupleItems, definitions }: CompatibleProfile['schema']): JsonSchema {
  return cleanSchema(schema, {
    node(node, isRoot) {
      let result: SchemaNode = node['type'] === 'array' && node['items'] === undefined ? { ...node, items: {} } : node;
      if (!closedObjects && result['additionalProperties'] === false) result = without(result, 'additionalProperties');
      if (!tupleItems && Array.isArray(result['items'])) result = { ...without(result, 'items'), prefixItems: result['items'] as unknown[] };
      if (!definitions) result = withDefs(result);
      return typeBesideAnyOf || isRoot ? result : typeInBranches(result);
    },
  });
}

function typeInBranches(node: SchemaNode): SchemaNode {
  const { anyOf, type } = node;
  if (!Array.isArray(anyOf) || type === undefined) return node;
  const branches = (anyOf as unknown[]).map((branch) => (typeof branch === 'object' && branch !== null && !('type' in branch) && !('$ref' in branch) ? { ...branch, type } : branch));
  return { ...without(node, 'type'), anyOf: branches };
}

/** The older word for `$defs`, and what refers to it. */
function withDefs(node: SchemaNode): SchemaNode {
  const { definitions, $defs, $ref } = node;
  const renamed = isObject(definitions) ? { ...without(node, 'definitions'), $defs: { ...definitions, ...(isObject($defs) ? $defs : {}) } } : node;
  return typeof $ref === 'string' && $ref.startsWith('#/definitions/') ? { ...renamed, $ref: $ref.replace('#/definitions/', '#/$defs/') } : renamed;
}

function without(node: SchemaNode, keyword: string): SchemaNode {
  const { [keyword]: _left, ...rest } = node;
  return rest;
}
