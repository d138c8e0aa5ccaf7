import { describe, test } from 'vitest';
import { rulesFor } from '../src/provider/shared/chat/index.ts';
import { modelContract } from '../src/testing/index.ts';
import { chatWire } from './chat-wire.ts';
import { FAMILY } from './compatible-family.ts';
import { serveScenario } from './model-contract-server.ts';

const KEY = 'sk-contract-0123456789';

for (const { id, modelName, profile, make, validate } of FAMILY) {
  describe(`S4-049 ${id}`, () => {
    modelContract({ describe, test }, (scenario) => serveScenario(scenario, chatWire(KEY), (baseUrl, options) => make({ modelName, apiKey: KEY, baseUrl, onWarning: () => undefined, ...options })), { key: KEY, validate, pictures: rulesFor(profile, modelName).media.image !== 'none' });
  });
}
