import { ServedChatModel } from '../shared/chat/index.ts';
import type { ChatServer, CompatibleChatModelOptions } from '../shared/chat/index.ts';
import { DEEPSEEK } from './profile.ts';

export type DeepSeekChatModelOptions = CompatibleChatModelOptions;

export const SERVER: ChatServer = {
  provider: 'deepseek',
  keyVariables: ['DEEPSEEK_API_KEY'],
  urlVariable: 'DEEPSEEK_BASE_URL',
  publicUrl: 'https://api.deepseek.com',
  profileFor: () => DEEPSEEK,
};

/** DeepSeek (`DEEPSEEK_API_KEY`; another address: `baseUrl` or `DEEPSEEK_BASE_URL`). */
export class DeepSeekChatModel extends ServedChatModel {
  constructor(options: DeepSeekChatModelOptions) {
    super(options, SERVER);
  }
}
