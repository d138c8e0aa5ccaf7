import { toolNames } from '../../formatter/index.ts';
import type { FormatterTool, NameMap } from '../../formatter/index.ts';

/** Names as Gemini takes them. `fromCut` takes what the turn cutter gave; it has mapped the tool's own name once already. */
export interface GeminiNames extends NameMap {
  fromCut(name: string): string;
}

const known = new WeakMap<readonly FormatterTool[], GeminiNames>();

/** The names every provider takes, and one rule more: the first character is a letter or `_`. The same list gives the same map. */
export function geminiNames(tools: readonly FormatterTool[] | undefined): GeminiNames {
  const list = tools ?? NONE;
  let names = known.get(list);
  if (names === undefined) known.set(list, (names = createNames(list)));
  return names;
}

const NONE: readonly FormatterTool[] = [];

function createNames(tools: readonly FormatterTool[]): GeminiNames {
  const base = toolNames(tools);
  const wires = tools.map(({ name }) => base.toWire(name));
  const taken = new Set(wires.filter(startsWell));
  const out = new Map<string, string>();
  const back = new Map<string, string>();
  for (const wire of wires) {
    if (startsWell(wire) || out.has(wire)) continue;
    const name = free(wire, taken);
    taken.add(name);
    out.set(wire, name);
    back.set(name, wire);
  }
  const fromCut = (name: string): string => out.get(name) ?? (startsWell(name) ? name : `_${name}`.slice(0, 64));
  return { fromCut, toWire: (name) => fromCut(base.toWire(name)), fromWire: (name) => base.fromWire(back.get(name) ?? name) };
}

function free(wire: string, taken: ReadonlySet<string>): string {
  for (let n = 0; ; n++) {
    const name = `${n === 0 ? '' : `_${n}`}_${wire}`.slice(0, 64);
    if (!taken.has(name)) return name;
  }
}

function startsWell(name: string): boolean {
  return /^[A-Za-z_]/.test(name);
}
