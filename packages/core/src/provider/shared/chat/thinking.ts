import { isObject } from '../../../internal/index.ts';
import type { GenerateOptions } from '../../../model/index.ts';
import type { CompatibleProfile } from './profile.ts';
import type { Warn } from './warnings.ts';

/** Whether the model will think, as far as the request and the profile tell. */
export function isThinking({ reasoningEffort, thinkingBudget, additionalBodyParams }: GenerateOptions, { thinking }: CompatibleProfile): boolean {
  const open = additionalBodyParams?.['thinking'];
  if (isObject(open) && typeof open['type'] === 'string') return open['type'] !== 'disabled';
  if (thinking.control === 'none' || thinking.stops === false) return thinking.byDefault;
  if (reasoningEffort !== undefined) return reasoningEffort !== 'none';
  return thinkingBudget === undefined ? thinking.byDefault : thinkingBudget > 0;
}

/** How deep the model shall think, in the words of the server. */
export function thinkingFields(options: GenerateOptions, profile: CompatibleProfile, warn: Warn): Record<string, unknown> {
  const { reasoningEffort, thinkingBudget } = options;
  const { control, efforts, on, stops } = profile.thinking;
  if (reasoningEffort === undefined && thinkingBudget === undefined) return {};
  if (control === 'none') {
    warn(`${reasoningEffort === undefined ? 'thinkingBudget' : 'reasoningEffort'} is left out: the model decides by itself how much it thinks`);
    return {};
  }
  if (stops === false && (reasoningEffort ?? thinkingBudget) === (reasoningEffort === undefined ? 0 : 'none')) {
    warn(`${reasoningEffort === undefined ? 'thinkingBudget' : 'reasoningEffort'} is left out: the model cannot be told not to think`);
    return {};
  }
  if (thinkingBudget !== undefined && thinkingBudget > 0) warn('thinkingBudget is left out: a number of tokens cannot be set; reasoningEffort can');
  if (control === 'effort') return { reasoning_effort: reasoningEffort === undefined ? undefined : wordFor(reasoningEffort, efforts) };
  const isOn = reasoningEffort === undefined ? thinkingBudget !== 0 : reasoningEffort !== 'none';
  const depth = isOn && reasoningEffort !== undefined && Object.hasOwn(efforts, reasoningEffort) ? { reasoning_effort: efforts[reasoningEffort] } : {};
  return { thinking: { type: isOn ? on : 'disabled' }, ...depth };
}

function wordFor(effort: string, efforts: Readonly<Record<string, string>>): string {
  return Object.hasOwn(efforts, effort) ? (efforts[effort] ?? effort) : effort;
}
