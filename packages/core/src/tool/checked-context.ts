import { isGenerateReason } from '../message/index.ts';
import type { StateSlots } from '../state/index.ts';
import { jsonCopy } from './json-copy.ts';
import type { ToolContext } from './tool.ts';

const NEVER = (): boolean => false;

/**
 * Slots that take JSON only. Values are copied both ways: what a tool does to an object it set or got changes no record, and no other
 * conversation's initial value. Nothing is set once `isOver`.
 */
export function checkedSlots(slots: StateSlots, isOver: () => boolean = NEVER): StateSlots {
  return {
    get(key) {
      const value = slots.get(key);
      return typeof value === 'object' && value !== null ? (jsonCopy(value, `The state "${key.name}"`) as typeof value) : value;
    },
    set(key, value) {
      const copy = jsonCopy(value, `The value for the state "${key.name}"`) as typeof value;
      if (!isOver()) slots.set(key, copy);
    },
  };
}

/** A request to stop whose words may go on record. Nothing is asked once `isOver`. */
export function checkedStop(outer: Pick<ToolContext, 'requestStop'>, isOver: () => boolean = NEVER): ToolContext['requestStop'] {
  return (reason, generateReason) => {
    if (typeof reason !== 'string') throw new TypeError('The reason to stop is no text.');
    if (generateReason !== undefined && !isGenerateReason(generateReason)) throw new TypeError(`There is no generate reason ${JSON.stringify(String(generateReason).slice(0, 40))}.`);
    if (!isOver()) outer.requestStop(reason, generateReason);
  };
}
