// The providers that are a profile of Chat Completions, as their shared suites need them.
import type { Formatter } from '../src/formatter/index.ts';
import type { ChatModel } from '../src/model/index.ts';
import { DeepSeekChatModel, DeepSeekFormatter } from '../src/provider/deepseek/index.ts';
import { DEEPSEEK } from '../src/provider/deepseek/profile.ts';
import { GLMChatModel, GLMFormatter } from '../src/provider/glm/index.ts';
import { GLM } from '../src/provider/glm/profile.ts';
import { KimiChatModel, KimiFormatter } from '../src/provider/kimi/index.ts';
import { KIMI } from '../src/provider/kimi/profile.ts';
import { MiniMaxChatModel, MiniMaxFormatter } from '../src/provider/minimax/index.ts';
import { MINIMAX } from '../src/provider/minimax/profile.ts';
import type { CompatibleChatModelOptions, CompatibleProfile } from '../src/provider/shared/chat/index.ts';
import { XAIChatModel, XAIChatFormatter } from '../src/provider/xai/index.ts';
import { XAI } from '../src/provider/xai/profile.ts';
import { validateDeepSeekRequest, validateGLMRequest, validateKimiRequest, validateMiniMaxRequest, validateXAIRequest } from '../src/testing/index.ts';
import type { RequestValidator } from '../src/testing/index.ts';

export interface FamilyMember {
  readonly id: string;
  readonly keyVariable: string;
  readonly urlVariable: string;
  /** A model with the rules that the validator knows. */
  readonly modelName: string;
  readonly profile: CompatibleProfile;
  readonly validate: RequestValidator;
  /** Folders of recorded answers. */
  readonly folders: readonly string[];
  make(options: CompatibleChatModelOptions): ChatModel;
  formatter(): Formatter;
}

export const FAMILY: readonly FamilyMember[] = [
  { id: 'deepseek', keyVariable: 'DEEPSEEK_API_KEY', urlVariable: 'DEEPSEEK_BASE_URL', modelName: 'deepseek-v4', profile: DEEPSEEK, validate: validateDeepSeekRequest, folders: ['deepseek'], make: (options) => new DeepSeekChatModel(options), formatter: () => new DeepSeekFormatter() },
  { id: 'glm', keyVariable: 'ZAI_API_KEY', urlVariable: 'ZAI_BASE_URL', modelName: 'glm-4.7', profile: GLM, validate: validateGLMRequest, folders: ['glm'], make: (options) => new GLMChatModel(options), formatter: () => new GLMFormatter() },
  { id: 'kimi', keyVariable: 'MOONSHOT_API_KEY', urlVariable: 'MOONSHOT_BASE_URL', modelName: 'kimi-k2.6', profile: KIMI, validate: validateKimiRequest, folders: ['moonshotai'], make: (options) => new KimiChatModel(options), formatter: () => new KimiFormatter() },
  { id: 'minimax', keyVariable: 'MINIMAX_API_KEY', urlVariable: 'MINIMAX_BASE_URL', modelName: 'MiniMax-M2.1', profile: MINIMAX, validate: validateMiniMaxRequest, folders: ['minimax'], make: (options) => new MiniMaxChatModel(options), formatter: () => new MiniMaxFormatter() },
  { id: 'xai', keyVariable: 'XAI_API_KEY', urlVariable: 'XAI_BASE_URL', modelName: 'grok-4', profile: XAI, validate: validateXAIRequest, folders: ['xai', 'openai-compatible'], make: (options) => new XAIChatModel(options), formatter: () => new XAIChatFormatter() },
];
