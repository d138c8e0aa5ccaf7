import { toolNames } from '../../formatter/index.ts';
import type { FormatterTool, NameMap } from '../../formatter/index.ts';

/** Legal names, and none is `search`, which DashScope keeps for itself. */
export interface DashScopeNames extends NameMap {
  /** A name that is legal elsewhere, as the turn cutter gives it. */
  fromCut(name: string): string;
  /** What stands for `search`. */
  readonly searchName: string;
}

const RESERVED = 'search';
const known = new WeakMap<readonly FormatterTool[], DashScopeNames>();
const UNNAMED: readonly FormatterTool[] = [];

/** The same list gives the same map. */
export function dashscopeNames(tools: readonly FormatterTool[] = UNNAMED): DashScopeNames {
  let names = known.get(tools);
  if (names === undefined) known.set(tools, (names = createNames(tools)));
  return names;
}

function createNames(tools: readonly FormatterTool[]): DashScopeNames {
  const shared = toolNames(tools);
  const taken = new Set(tools.map(({ name }) => shared.toWire(name)));
  const searchName = freeName(taken);
  const fromCut = (name: string): string => (name === RESERVED ? searchName : name);
  return {
    searchName,
    fromCut,
    toWire: (name) => fromCut(shared.toWire(name)),
    fromWire: (name) => shared.fromWire(name === searchName && taken.has(RESERVED) ? RESERVED : name),
  };
}

function freeName(taken: ReadonlySet<string>): string {
  let name = `${RESERVED}_tool`;
  for (let n = 2; taken.has(name); n++) name = `${RESERVED}_tool_${n}`;
  return name;
}
