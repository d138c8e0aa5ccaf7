import { defineCompatibleProfile, NO_MEDIA } from '../shared/chat/index.ts';
import type { CompatibleProfile, MediaRules } from '../shared/chat/index.ts';
import { ERROR_CODES } from './errors.ts';
import { profileFor, RESERVED_NAMES } from './profile.ts';
import type { DashScopeMediaKind, DashScopeReplay } from './profile.ts';

/** What an option says of a model in place of its name. */
export interface CompatibleWishes {
  readonly multimodal?: boolean | undefined;
  readonly input?: readonly DashScopeMediaKind[] | undefined;
  readonly replay?: DashScopeReplay | undefined;
}

/** Which thinking goes back, in the words of Chat Completions. */
const REPLAYS = { none: 'never', calls: 'tool turns', all: 'always' } as const;

/**
 * What DashScope's compatible protocol takes of a model: the same table as for its own one. Thinking and forced choices are worked out
 * beforehand (`compatible.ts`), so the profile sends what it is given.
 */
export function compatibleProfile(modelName: string, wishes: CompatibleWishes): CompatibleProfile {
  const known = profileFor(modelName);
  const { multimodal = known.multimodal, input = known.input, replay = known.replay } = wishes;
  const keepsToSchemas = known.structured !== false;
  return defineCompatibleProfile({
    name: 'dashscope',
    options: { temperature: [0, 1.99], topP: [0.01, 1] },
    emptyContent: '',
    reservedNames: RESERVED_NAMES,
    content: multimodal ? 'parts' : 'text',
    media: multimodal ? mediaOf(input) : NO_MEDIA,
    format: keepsToSchemas ? 'schema' : 'object',
    structured: keepsToSchemas,
    schema: { closedObjects: true },
    thinking: { control: 'none', byDefault: true },
    replay: { thinking: REPLAYS[replay], field: 'reasoning_content' },
    errors: ERROR_CODES,
  });
}

function mediaOf(input: readonly DashScopeMediaKind[]): Partial<MediaRules> {
  return {
    image: input.includes('image') ? 'address' : 'none',
    imageTypes: ['png', 'jpeg', 'jpg', 'webp', 'gif', 'bmp', 'tiff', 'heic'],
    video: input.includes('video') ? 'address' : 'none',
    audio: input.includes('audio') ? 'address' : 'none',
    pdf: 'none',
  };
}
