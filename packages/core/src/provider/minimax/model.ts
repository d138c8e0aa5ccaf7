import { ServedChatModel } from '../shared/chat/index.ts';
import type { ChatServer, CompatibleChatModelOptions } from '../shared/chat/index.ts';
import { MINIMAX } from './profile.ts';

export type MiniMaxChatModelOptions = CompatibleChatModelOptions;

export const SERVER: ChatServer = {
  provider: 'minimax',
  keyVariables: ['MINIMAX_API_KEY'],
  urlVariable: 'MINIMAX_BASE_URL',
  publicUrl: 'https://api.minimaxi.com/v1',
  profileFor: () => MINIMAX,
};

/** MiniMax (`MINIMAX_API_KEY`; another address: `baseUrl` or `MINIMAX_BASE_URL`). */
export class MiniMaxChatModel extends ServedChatModel {
  constructor(options: MiniMaxChatModelOptions) {
    super(options, SERVER);
  }
}
