import { ServedChatModel } from '../shared/chat/index.ts';
import type { ChatServer, CompatibleChatModelOptions } from '../shared/chat/index.ts';
import { KIMI } from './profile.ts';

export type KimiChatModelOptions = CompatibleChatModelOptions;

export const SERVER: ChatServer = {
  provider: 'kimi',
  keyVariables: ['MOONSHOT_API_KEY', 'KIMI_API_KEY'],
  urlVariable: 'MOONSHOT_BASE_URL',
  publicUrl: 'https://api.moonshot.cn/v1',
  profileFor: () => KIMI,
};

/** Kimi of Moonshot (`MOONSHOT_API_KEY`; another address: `baseUrl` or `MOONSHOT_BASE_URL`). */
export class KimiChatModel extends ServedChatModel {
  constructor(options: KimiChatModelOptions) {
    super(options, SERVER);
  }
}
