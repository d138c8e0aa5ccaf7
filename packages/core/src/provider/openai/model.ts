import { AgentScopeError } from '../../error/index.ts';
import { defineCompatibleProfile, ServedChatModel } from '../shared/chat/index.ts';
import type { ChatServer, CompatibleChatModelOptions, CompatibleProfile } from '../shared/chat/index.ts';
import { keepsToSchemas, profileFor, PROFILES } from './profile.ts';
import type { OpenAIProfileName } from './profile.ts';

export interface OpenAIChatModelOptions extends CompatibleChatModelOptions {
  /** What the server accepts: a name that comes with the package, or your own of `defineCompatibleProfile`. Default: by the host. */
  readonly profile?: OpenAIProfileName | CompatibleProfile;
  /**
   * Strict schemas, which make the model keep to them: for tools and structured output whose schema can be strict (`true`, the default at
   * OpenAI for structured output only), or never (`false`, the default elsewhere). Optional fields may then come as null, which counts as left out.
   */
  readonly strict?: boolean;
}

/** Chat Completions of OpenAI (`OPENAI_API_KEY`), and of every server that speaks it (`baseUrl` or `OPENAI_BASE_URL`). */
export class OpenAIChatModel extends ServedChatModel {
  /** @throws AgentScopeError `config/invalid` for a profile that is none, or contradicts itself */
  constructor(options: OpenAIChatModelOptions) {
    super(options, serverFor(options));
  }
}

function serverFor(options: OpenAIChatModelOptions): ChatServer {
  const profile = options.profile === undefined ? undefined : profileNamed(options.profile);
  return {
    provider: 'openai',
    keyVariables: ['OPENAI_API_KEY'],
    urlVariable: 'OPENAI_BASE_URL',
    publicUrl: 'https://api.openai.com/v1',
    profileFor: (url) => profile ?? profileFor(url),
    keepsToSchemas,
  };
}

/** A profile written by hand, without `defineCompatibleProfile`, is judged as well. */
function profileNamed(profile: OpenAIProfileName | CompatibleProfile): CompatibleProfile {
  if (typeof profile !== 'string') return defineCompatibleProfile(profile);
  if (Object.hasOwn(PROFILES, profile)) return PROFILES[profile];
  throw new AgentScopeError('config/invalid', `There is no profile "${String(profile)}". There are: ${Object.keys(PROFILES).join(', ')}; or define one with defineCompatibleProfile.`, { details: { option: 'profile' } });
}
