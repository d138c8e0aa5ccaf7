import type { FormatterTool } from './formatter.ts';

/** Tool names as stored and as they may stand in a request. */
export interface NameMap {
  toWire(name: string): string;
  /** A name the model said; one it made up comes back as it is. */
  fromWire(name: string): string;
}

const known = new WeakMap<readonly FormatterTool[], Map<string, NameMap>>();

/**
 * Names that obey `[A-Za-z0-9_-]{1,64}`, the rule nearly every provider has. Legal names stay, so adding a tool never renames one of
 * those; an illegal one is cleaned, with a number where that makes two equal. `reserved`: names a provider keeps for itself, illegal
 * too. The same list gives the same map.
 */
export function toolNames(tools: readonly FormatterTool[] = NONE, reserved: readonly string[] = NONE): NameMap {
  let maps = known.get(tools);
  if (maps === undefined) known.set(tools, (maps = new Map()));
  let map = maps.get(reserved.join());
  if (map === undefined) maps.set(reserved.join(), (map = createNameMap(tools, reserved)));
  return map;
}

const NONE: readonly never[] = [];

function createNameMap(tools: readonly FormatterTool[], reserved: readonly string[]): NameMap {
  const legal = tools.map((tool) => tool.name).filter((name) => isLegal(name) && !reserved.includes(name));
  const toWire = new Map(legal.map((name) => [name, name]));
  const taken = new Set([...legal, ...reserved]);
  const fromWire = new Map<string, string>();
  for (const { name } of tools) {
    if (toWire.has(name)) continue;
    const wire = unique(cleanName(name, 'tool'), taken, 64);
    taken.add(wire);
    toWire.set(name, wire);
    fromWire.set(wire, name);
  }
  const stranger = (name: string): string => (reserved.includes(name) ? unique(name, taken, 64) : name);
  return { toWire: (name) => toWire.get(name) ?? stranger(cleanName(name, 'tool')), fromWire: (name) => fromWire.get(name) ?? name };
}

/** Each character a provider refuses becomes `_`; at most 64; `fallback` where nothing is left. */
export function cleanName(name: string, fallback: string): string {
  return isLegal(name) ? name : name.replace(/[^a-zA-Z0-9_-]/gu, '_').slice(0, 64) || fallback;
}

/** The name, or the name with the first number that nobody has, within `limit` characters. */
export function unique(name: string, taken: { has(name: string): boolean }, limit: number = Infinity): string {
  let result = name.slice(0, limit);
  for (let n = 2; taken.has(result); n++) {
    const suffix = `_${n}`;
    result = name.slice(0, limit - suffix.length) + suffix;
  }
  return result;
}

function isLegal(name: string): boolean {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name);
}
