import { isObject } from '../../internal/index.ts';
import type { ToolSchema } from '../../model/index.ts';
import { fieldsOf } from './fields.ts';
import type { Field } from './fields.ts';
import { fillArguments } from './fill.ts';
import type { Filled } from './fill.ts';
import type { ValueKind } from './values.ts';
import { Reading } from './reading.ts';
import { likeness, stemsOf } from './words.ts';

/** A tool as the picker sees it: the stems of its words, and how much a match with each is worth. */
export interface KnownTool {
  readonly tool: ToolSchema;
  readonly fields: readonly Field[];
  readonly weights: ReadonlyMap<string, number>;
}
export interface Pick extends Filled {
  readonly tool: ToolSchema;
}

export function knowTools(tools: readonly ToolSchema[]): readonly KnownTool[] {
  return tools.map((tool) => {
    const fields = fieldsOf(tool.inputSchema);
    const weights = new Map<string, number>();
    const note = (text: string, weight: number): void => stemsOf(text).forEach((own) => weights.set(own, Math.max(weight, weights.get(own) ?? 0)));
    note(tool.name, 3);
    note(tool.description, 2);
    for (const { path, schema } of fields) {
      note(path.join(' '), 1.2);
      note(typeof schema.description === 'string' ? schema.description : '', 0.8);
      for (const value of Array.isArray(schema.enum) ? schema.enum : []) note(String(value), 1.5);
      if (isObject(schema.items) && Array.isArray(schema.items['enum'])) note(schema.items['enum'].join(' '), 1.2);
    }
    return { tool, fields, weights };
  });
}

/** A word in every description tells nothing; with this score a wish is about the tool. */
const ENOUGH = 1.1;
const MISSING_COSTS = 0.6;
/** A quotation, address or path that finds no place speaks against a tool. */
const UNUSED_COSTS = 0.4;
const LITERALS: readonly ValueKind[] = ['quoted', 'url', 'email', 'path'];

/** The tool a wish asks for, with its arguments; `undefined` when none comes near. */
export function pickTool(wish: string, known: readonly KnownTool[]): Pick | undefined {
  const reading = new Reading(wish);
  const stems = [...new Set(stemsOf(reading.plainText()))];
  const scored = known.map((one) => ({ one, score: wordScore(stems, one, known) + shapeScore(reading, one.fields) }));
  const near = scored.filter(({ score }) => score >= ENOUGH).toSorted((a, b) => b.score - a.score).slice(0, 3);
  const filled = near.map(({ one: { tool }, score }) => {
    const result = fillArguments(wish, tool);
    const unused = LITERALS.reduce((sum, kind) => sum + result.reading.free(kind).length, 0);
    return { pick: { tool, ...result }, score: score - MISSING_COSTS * result.missing.length - UNUSED_COSTS * unused };
  });
  return filled.toSorted((a, b) => b.score - a.score)[0]?.pick;
}

function wordScore(stems: readonly string[], { weights }: KnownTool, known: readonly KnownTool[]): number {
  let score = 0;
  for (const own of stems) {
    const best = bestWeight(own, weights);
    if (best > 0) score += best * rarity(own, known) * (GENERAL.has(own) ? 0.35 : 1);
  }
  return score;
}

function bestWeight(own: string, weights: ReadonlyMap<string, number>): number {
  const exact = weights.get(own);
  if (exact !== undefined) return exact;
  let best = 0;
  for (const [other, weight] of weights) best = Math.max(best, weight * likeness(own, other));
  return best;
}

/** Verbs of so many tools that they hardly speak for one. */
const GENERAL = new Set(stemsOf('create make add new set find show open list run read write update check look work start'));

/** 1 for a word of one tool only, less the more tools share it. */
function rarity(own: string, known: readonly KnownTool[]): number {
  const sharing = known.filter(({ weights }) => weights.has(own)).length;
  return sharing <= 1 ? 1 : Math.log(1 + known.length / sharing) / Math.log(1 + known.length);
}

const SHAPES: Readonly<Partial<Record<Field['kind'], readonly [ValueKind, number]>>> = {
  expression: ['expression', 3], zone: ['zone', 0.8], path: ['path', 1.2], url: ['url', 2], email: ['email', 1.2], date: ['date', 0.8], place: ['place', 0.8], number: ['number', 0.4],
};

/** Values of a shape that a field asks for speak for a tool, most of all when the field is required. */
function shapeScore(reading: Reading, fields: readonly Field[]): number {
  const worthOf = ({ kind, required }: Field): number => {
    const [shape, worth = 0] = SHAPES[kind] ?? [];
    return shape !== undefined && reading.has(shape) ? worth * (required ? 1 : 0.4) : 0;
  };
  const best = new Map<Field['kind'], number>();
  for (const field of fields) best.set(field.kind, Math.max(best.get(field.kind) ?? 0, worthOf(field)));
  return [...best.values()].reduce((sum, worth) => sum + worth, 0);
}
