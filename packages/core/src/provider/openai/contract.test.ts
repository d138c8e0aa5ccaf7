import { describe, test } from 'vitest';
import { chatWire } from '../../../test/chat-wire.ts';
import { serveScenario } from '../../../test/model-contract-server.ts';
import { modelContract, validateOpenAIChatRequest } from '../../testing/index.ts';
import { OpenAIChatModel } from './model.ts';

const KEY = 'sk-contract-0123456789';

modelContract({ describe, test }, (scenario) => serveScenario(scenario, chatWire(KEY), (baseUrl, options) => new OpenAIChatModel({ modelName: 'm', apiKey: KEY, baseUrl, ...options })), { key: KEY, validate: validateOpenAIChatRequest });
