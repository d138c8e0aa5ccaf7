import { describe, test } from 'vitest';
import { modelContract } from '../../testing/index.ts';
import { OfflineChatModel } from './model.ts';

modelContract({ describe, test }, () => ({ model: new OfflineChatModel() }), { played: false });
