import { AgentScopeError } from '../error/index.ts';
import type { JsonObject, JsonSchema } from '../internal/index.ts';
import type { AnyTool } from './tool.ts';

/**
 * The tool with some arguments fixed: they are gone from its schema, and win over whatever is said for them.
 *
 * @throws AgentScopeError `config/invalid` when a preset is no field of the tool.
 */
export function withPresets(tool: AnyTool, presets: JsonObject): AnyTool {
  const fields = tool.inputSchema.properties ?? {};
  const unknown = Object.keys(presets).filter((key) => !Object.hasOwn(fields, key));
  if (unknown.length > 0) {
    throw new AgentScopeError('config/invalid', `The tool "${tool.name}" has no field ${unknown.map((key) => `"${key}"`).join(', ')} to preset.`, {
      details: { option: 'presets' },
    });
  }
  return {
    ...tool,
    inputSchema: without(tool.inputSchema, presets),
    parseInput: (input) => tool.parseInput({ ...input, ...presets }),
    run: (input: JsonObject, context) => tool.run({ ...input, ...presets }, context),
  };
}

function without(schema: JsonSchema, presets: JsonObject): JsonSchema {
  const properties = Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => !Object.hasOwn(presets, name)));
  const { required, ...rest } = schema;
  return { ...rest, properties, ...(required && { required: required.filter((name) => !Object.hasOwn(presets, name)) }) };
}
