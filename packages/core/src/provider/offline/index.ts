export { OfflineChatModel } from './model.ts';
