import { ServedChatModel } from '../shared/chat/index.ts';
import type { ChatServer, CompatibleChatModelOptions } from '../shared/chat/index.ts';
import { XAI } from './profile.ts';

export type XAIChatModelOptions = CompatibleChatModelOptions;

export const SERVER: ChatServer = {
  provider: 'xai',
  keyVariables: ['XAI_API_KEY'],
  urlVariable: 'XAI_BASE_URL',
  publicUrl: 'https://api.x.ai/v1',
  profileFor: () => XAI,
};

/** Grok of xAI (`XAI_API_KEY`; another address: `baseUrl` or `XAI_BASE_URL`). */
export class XAIChatModel extends ServedChatModel {
  constructor(options: XAIChatModelOptions) {
    super(options, SERVER);
  }
}
