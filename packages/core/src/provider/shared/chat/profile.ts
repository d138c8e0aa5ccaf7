import type { JsonObject } from '../../../internal/index.ts';
import type { ModelErrorCode } from '../../../model/index.ts';

/** An option of a call: sent (`true`), sent within a range (what lies outside is moved in, with a warning), left out with a warning (`false`), or refused. */
export type OptionRule = boolean | 'refused' | readonly [low: number, high: number];

export type OptionName = 'temperature' | 'topP' | 'topK' | 'seed' | 'frequencyPenalty' | 'presencePenalty' | 'parallelToolCalls';

/** What one model of a server accepts. */
export interface ProfileRules {
  readonly lengthField: 'max_completion_tokens' | 'max_tokens';
  readonly options: Readonly<Record<OptionName, OptionRule>>;
  /** Usage of a stream has to be asked for (`stream_options`). */
  readonly usageInStream: boolean;
  /** Members of every request; options of a call win over them. */
  readonly extraBody: JsonObject;
  /** Messages of the user may be lists of parts. `text`: one text, media become notes. */
  readonly content: 'parts' | 'text';
  /** What stands beside calls where nothing was said. */
  readonly emptyContent: null | '';
  /** Send the speaker's name with user and assistant messages. */
  readonly names: boolean;
  /** Characters of a tool call id. */
  readonly maxIdLength: number;
  /** Names of tools the server keeps for itself. */
  readonly reservedNames: readonly string[];
  readonly media: MediaRules;
  /**
   * Forced choices that are sent; the others become `auto`, with a warning. `named, not thinking`: one tool by its name, so "any tool" only where
   * there is one. `never`: the field is not sent at all.
   */
  readonly toolChoice: 'any' | 'not thinking' | 'named, not thinking' | 'auto' | 'never';
  /** How "no tool" is said: by the field, or by leaving the tools out. */
  readonly noTool: 'tool_choice' | 'leave out';
  /** What a `responseFormat` becomes. Without `schema` the last message of the user tells the model the schema. */
  readonly format: 'schema' | 'object' | 'none';
  /** Structured output is strict where its schema can be. */
  readonly strict: boolean;
  /** Known to keep answers to a schema; other servers may, may ignore it, or may refuse. */
  readonly structured: boolean;
  /** Where the server's dialect of JSON Schema is narrower. */
  readonly schema: { readonly closedObjects: boolean; readonly typeBesideAnyOf: boolean; readonly tupleItems: boolean; readonly definitions: boolean };
  readonly thinking: ThinkingRules;
  readonly replay: ReplayRules;
  /** Thinking may come in the text, between `<think>` and `</think>` at its beginning. */
  readonly thinkTags: boolean;
  /** `so far`: each delta repeats all that was said before it. */
  readonly deltas: 'new' | 'so far';
  /** What the server's own error codes mean, where its words and the status do not tell. */
  readonly errors: Readonly<Record<string, ModelErrorCode>>;
}

export interface MediaRules {
  /** `address`: addresses go as they are. `bytes`: they are downloaded first. */
  readonly image: 'address' | 'bytes' | 'none';
  readonly imageTypes: readonly string[];
  /** `address`: addresses go as they are, and bytes as a data URL. */
  readonly audio: 'address' | 'bytes' | 'none';
  readonly video: 'address' | 'bytes' | 'none';
  readonly pdf: 'bytes' | 'none';
}

export interface ThinkingRules {
  /** `effort`: `reasoning_effort`. `switch`: `thinking: { type }`. `none`: it cannot be asked for. */
  readonly control: 'effort' | 'switch' | 'none';
  /** The words the server has for an effort; without an entry the word goes as it is, `{}` sends none beside a switch. */
  readonly efforts: Readonly<Record<string, string>>;
  /** The word that switches it on. */
  readonly on: 'enabled' | 'adaptive';
  /** The model thinks where nobody says otherwise. */
  readonly byDefault: boolean;
  /** False: it cannot be told not to think. Default true. */
  readonly stops?: boolean;
}

export interface ReplayRules {
  /** Assistant messages that get their thinking back while the model thinks: none, those that call tools or follow results, all. */
  readonly thinking: 'never' | 'tool turns' | 'always';
  readonly field: 'reasoning_content' | 'reasoning' | 'reasoning_details';
  /** An empty text stands where there was no thinking. */
  readonly empty: boolean;
}

/** What a server that speaks Chat Completions accepts. Data: a new server is a new profile. */
export interface CompatibleProfile extends ProfileRules {
  /** Stored blocks hold the server's private data under this name; they go back to this server only. */
  readonly name: string;
  /** Models that differ, the first whose pattern (a regular expression) matches the name. */
  readonly families: readonly ProfileFamily[];
}

/** Members that a family names are replaced whole. */
export interface ProfileFamily extends Partial<ProfileRules> {
  readonly models: string;
}

/** What nearly every server takes: what an unknown one is sent. */
export const COMPATIBLE: CompatibleProfile = {
  name: 'openai',
  lengthField: 'max_tokens',
  options: { temperature: true, topP: true, topK: true, seed: true, frequencyPenalty: true, presencePenalty: true, parallelToolCalls: true },
  usageInStream: true,
  extraBody: {},
  content: 'parts',
  emptyContent: null,
  names: false,
  maxIdLength: Infinity,
  reservedNames: [],
  media: { image: 'address', imageTypes: ['png', 'jpeg', 'jpg', 'gif', 'webp'], audio: 'bytes', video: 'none', pdf: 'bytes' },
  toolChoice: 'any',
  noTool: 'tool_choice',
  format: 'schema',
  strict: false,
  structured: false,
  schema: { closedObjects: true, typeBesideAnyOf: true, tupleItems: true, definitions: true },
  thinking: { control: 'effort', efforts: {}, on: 'enabled', byDefault: false },
  replay: { thinking: 'never', field: 'reasoning_content', empty: false },
  thinkTags: false,
  deltas: 'new',
  errors: {},
  families: [],
};

export const NO_MEDIA: MediaRules = { image: 'none', imageTypes: [], audio: 'none', video: 'none', pdf: 'none' };

/** The rules for one model. */
export function rulesFor(profile: CompatibleProfile, modelName: string): CompatibleProfile {
  const family = profile.families.find(({ models }) => new RegExp(models, 'i').test(modelName));
  return family === undefined ? profile : withFamily(profile, family);
}

export function withFamily(profile: CompatibleProfile, { models: _pattern, ...rules }: ProfileFamily): CompatibleProfile {
  return { ...profile, ...rules };
}

/** Error codes that mean the same. */
export function codes(meaning: ModelErrorCode, ...numbers: readonly number[]): Readonly<Record<string, ModelErrorCode>> {
  return Object.fromEntries(numbers.map((number) => [String(number), meaning]));
}
