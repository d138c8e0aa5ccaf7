import type { AnyTool } from './tool.ts';

/** True for what has the shape of a tool; tools of other packages (MCP) need not come from `defineTool`. */
export function isTool(value: unknown): value is AnyTool {
  if (typeof value !== 'object' || value === null) return false;
  const { name, inputSchema, execute, parseInput } = value as Partial<AnyTool>;
  return typeof name === 'string' && typeof inputSchema === 'object' && typeof execute === 'function' && typeof parseInput === 'function';
}

/**
 * The tools on a service: fields of an instance and of its prototypes, or static fields of a class and of the classes it extends,
 * nearest first; a field that is overridden counts once. Getters are not run.
 */
export function toolsOf(service: object): readonly AnyTool[] {
  const found = new Map<PropertyKey, AnyTool>();
  const seen = new Set<PropertyKey>();
  for (let at: object | null = service; at !== null && at !== Object.prototype && at !== Function.prototype; at = Object.getPrototypeOf(at) as object | null) {
    for (const key of Reflect.ownKeys(at)) {
      if (seen.has(key)) continue;
      seen.add(key);
      const value: unknown = Object.getOwnPropertyDescriptor(at, key)?.value;
      if (isTool(value)) found.set(key, value);
    }
  }
  return [...found.values()];
}
