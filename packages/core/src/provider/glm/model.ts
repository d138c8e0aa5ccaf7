import { ServedChatModel } from '../shared/chat/index.ts';
import type { ChatServer, CompatibleChatModelOptions } from '../shared/chat/index.ts';
import { GLM } from './profile.ts';

export type GLMChatModelOptions = CompatibleChatModelOptions;

export const SERVER: ChatServer = {
  provider: 'glm',
  keyVariables: ['ZAI_API_KEY', 'GLM_API_KEY', 'ZHIPUAI_API_KEY'],
  urlVariable: 'ZAI_BASE_URL',
  publicUrl: 'https://open.bigmodel.cn/api/paas/v4',
  profileFor: () => GLM,
};

/** GLM of Zhipu and Z.ai (`ZAI_API_KEY`; another address: `baseUrl` or `ZAI_BASE_URL`). */
export class GLMChatModel extends ServedChatModel {
  constructor(options: GLMChatModelOptions) {
    super(options, SERVER);
  }
}
