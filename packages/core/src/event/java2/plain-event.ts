import { isObject } from '../../internal/index.ts';
import type { AgentEventType } from '../events.ts';
import { EVENT_FIELDS } from './fields.ts';

/** The members of a type that holds texts only; true for those that must be there. */
type Shape = ReadonlyMap<string, boolean>;

const SHAPES: ReadonlyMap<string, Shape> = /* @__PURE__ */ shapes();
const REQUIRED: ReadonlyMap<string, number> = /* @__PURE__ */ requiredMembers();

function shapes(): ReadonlyMap<string, Shape> {
  const types = (Object.keys(EVENT_FIELDS) as AgentEventType[]).filter((type) => /_(START|DELTA|END)$/.test(type) && !type.startsWith('AGENT_'));
  return new Map(
    types.flatMap((type): [string, Shape][] => {
      const fields = Object.entries(EVENT_FIELDS[type]);
      if (!fields.every(([, kind]) => kind === 'id' || kind === 'text' || kind === 'word?')) return [];
      const members = fields.map(([name, kind]): [string, boolean] => [name, kind !== 'word?']);
      return [[type, new Map<string, boolean>([['type', true], ['id', true], ['createdAt', true], ['source', false], ['metadata', false], ...members])]];
    }),
  );
}

function requiredMembers(): ReadonlyMap<string, number> {
  return new Map(Array.from(SHAPES, ([type, shape]) => [type, Array.from(shape.values()).filter(Boolean).length]));
}

/** Whether the object is an event in the model's form already, so that it need not be copied: nearly every event of a stream is. */
export function isPlainEvent(raw: Record<string, unknown>): boolean {
  const type = raw['type'] as string;
  const shape = SHAPES.get(type);
  if (shape === undefined) return false;
  let found = 0;
  for (const key in raw) {
    const required = shape.get(key);
    const value = raw[key];
    if (required === undefined || !(key === 'metadata' ? isObject(value) : typeof value === 'string')) return false;
    if (required) found++;
  }
  return found === REQUIRED.get(type) && raw['source'] !== '';
}
