import { AgentScopeError } from '../../../error/index.ts';
import { isObject } from '../../../internal/index.ts';
import { COMPATIBLE, withFamily } from './profile.ts';
import type { CompatibleProfile, OptionRule } from './profile.ts';

/** A profile as it is written down: a name, and what differs from the base. Inner objects are given by the members that differ, too. */
export type CompatibleProfileSpec = { readonly name: string } & {
  readonly [K in Exclude<keyof CompatibleProfile, 'name'>]?: CompatibleProfile[K] extends readonly unknown[] ? CompatibleProfile[K] : CompatibleProfile[K] extends object ? Partial<CompatibleProfile[K]> : CompatibleProfile[K];
};

/**
 * What a server accepts that speaks Chat Completions, from what differs from `base` (default: what nearly every server takes). For the
 * option `profile` of `OpenAIChatModel`.
 *
 * @throws AgentScopeError `config/invalid` (option `profile.<member>`) for unknown members, values that are none, and rules that contradict each other
 */
export function defineCompatibleProfile(spec: CompatibleProfileSpec, base: CompatibleProfile = COMPATIBLE): CompatibleProfile {
  const merged: Record<string, unknown> = { ...base };
  for (const [member, value] of Object.entries(spec)) {
    if (!Object.hasOwn(COMPATIBLE, member)) throw invalid(member, 'there is no such member');
    const old = merged[member];
    if (value !== undefined) merged[member] = MERGED.has(member) && isObject(old) && isObject(value) ? { ...old, ...value } : value;
  }
  const profile = merged as unknown as CompatibleProfile;
  checkRules(profile);
  profile.families.forEach((family) => checkFamily(profile, family));
  return Object.freeze(profile);
}

const MERGED: ReadonlySet<string> = new Set(['options', 'extraBody', 'media', 'schema', 'thinking', 'replay', 'errors']);

const WORDS: readonly (readonly [member: string, read: (profile: CompatibleProfile) => unknown, values: readonly unknown[]])[] = [
  ['lengthField', (p) => p.lengthField, ['max_completion_tokens', 'max_tokens']],
  ['content', (p) => p.content, ['parts', 'text']],
  ['emptyContent', (p) => p.emptyContent, [null, '']],
  ['toolChoice', (p) => p.toolChoice, ['any', 'not thinking', 'named, not thinking', 'auto', 'never']],
  ['noTool', (p) => p.noTool, ['tool_choice', 'leave out']],
  ['format', (p) => p.format, ['schema', 'object', 'none']],
  ['deltas', (p) => p.deltas, ['new', 'so far']],
  ['thinking.control', (p) => p.thinking.control, ['effort', 'switch', 'none']],
  ['thinking.on', (p) => p.thinking.on, ['enabled', 'adaptive']],
  ['thinking.stops', (p) => p.thinking.stops, [true, false, undefined]],
  ['replay.thinking', (p) => p.replay.thinking, ['never', 'tool turns', 'always']],
  ['replay.field', (p) => p.replay.field, ['reasoning_content', 'reasoning', 'reasoning_details']],
  ['media.image', (p) => p.media.image, ['address', 'bytes', 'none']],
  ['media.audio', (p) => p.media.audio, ['address', 'bytes', 'none']],
  ['media.video', (p) => p.media.video, ['address', 'bytes', 'none']],
  ['media.pdf', (p) => p.media.pdf, ['bytes', 'none']],
  ...(['usageInStream', 'names', 'strict', 'structured', 'thinkTags'] as const).map((name) => [name, (p: CompatibleProfile) => p[name], [true, false]] as const),
];

const CONTRADICTIONS: readonly (readonly [member: string, holds: (profile: CompatibleProfile) => boolean, why: string])[] = [
  ['strict', (p) => p.strict && p.format !== 'schema', 'strict schemas want format "schema"'],
  ['structured', (p) => p.structured && p.format !== 'schema', 'a server without schemas (format) cannot keep to them'],
  ['media', (p) => p.content === 'text' && [p.media.image, p.media.audio, p.media.video, p.media.pdf].some((how) => how !== 'none'), 'media are parts, and content is "text"'],
  ['media.imageTypes', (p) => p.media.image !== 'none' && p.media.imageTypes.length === 0, 'pictures are taken, but of no type'],
  ['replay.empty', (p) => p.replay.empty && p.replay.thinking === 'never', 'nothing goes back, so no empty thinking either'],
  ['replay.empty', (p) => p.replay.empty && p.replay.field === 'reasoning_details', 'a list has no empty text'],
  ['noTool', (p) => p.toolChoice === 'never' && p.noTool === 'tool_choice', 'tool_choice is never sent, so it cannot say "none"'],
  ['thinking.stops', (p) => p.thinking.stops === false && !p.thinking.byDefault, 'a model that cannot stop thinking thinks by default'],
  ['thinking.efforts', (p) => p.thinking.control === 'none' && Object.keys(p.thinking.efforts).length > 0, 'thinking cannot be asked for, so there are no efforts'],
];

function checkRules(profile: CompatibleProfile, place = ''): void {
  if (typeof profile.name !== 'string' || !/^[a-z][\w-]*$/.test(profile.name)) throw invalid('name', 'a lower-case word is wanted');
  for (const [member, read, values] of WORDS) if (!values.includes(read(profile))) throw invalid(place + member, `one of ${values.map((value) => JSON.stringify(value)).join(', ')} is wanted`);
  for (const [option, rule] of Object.entries(profile.options)) checkOption(`${place}options.${option}`, option, rule);
  if (!(profile.maxIdLength >= 8)) throw invalid(`${place}maxIdLength`, 'at least 8 characters are needed to tell calls apart');
  for (const [member, holds, why] of CONTRADICTIONS) if (holds(profile)) throw invalid(place + member, why);
}

function checkOption(member: string, option: string, rule: OptionRule): void {
  if (!Object.hasOwn(COMPATIBLE.options, option)) throw invalid(member, 'there is no such option');
  if (typeof rule === 'boolean' || rule === 'refused') return;
  const [low, high] = Array.isArray(rule) ? (rule as readonly unknown[]) : [];
  if (typeof low !== 'number' || typeof high !== 'number' || !(low <= high)) throw invalid(member, 'true, false, "refused", or a range of two numbers is wanted, the lower first');
}

function checkFamily(profile: CompatibleProfile, family: CompatibleProfile['families'][number]): void {
  for (const member of Object.keys(family)) if (member !== 'models' && (!Object.hasOwn(COMPATIBLE, member) || member === 'name' || member === 'families')) throw invalid(`families.${member}`, 'there is no such member');
  try {
    new RegExp(family.models);
  } catch {
    throw invalid('families.models', 'a regular expression is wanted');
  }
  checkRules(withFamily(profile, family), `families[${family.models}].`);
}

function invalid(member: string, why: string): AgentScopeError {
  return new AgentScopeError('config/invalid', `The profile contradicts itself or is none, at "${member}": ${why}.`, { details: { option: `profile.${member}` } });
}
