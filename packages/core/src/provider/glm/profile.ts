import { codes, defineCompatibleProfile, NO_MEDIA } from '../shared/chat/index.ts';
import type { CompatibleProfile } from '../shared/chat/index.ts';

const SEES = { content: 'parts', media: { ...NO_MEDIA, image: 'address', imageTypes: ['png', 'jpeg', 'jpg'], video: 'address' } } as const;
/** Models that always think refuse to be told not to. */
const ALWAYS = { control: 'none', efforts: {}, on: 'enabled', byDefault: true } as const;

/** What GLM of Zhipu and Z.ai accepts. */
export const GLM: CompatibleProfile = defineCompatibleProfile({
  name: 'glm',
  options: { temperature: [0, 1], topP: [0.01, 1], topK: false, seed: false, frequencyPenalty: false, presencePenalty: false, parallelToolCalls: false },
  usageInStream: false,
  content: 'text',
  emptyContent: '',
  media: NO_MEDIA,
  toolChoice: 'auto',
  noTool: 'leave out',
  format: 'object',
  thinking: { control: 'switch', byDefault: true },
  replay: { thinking: 'tool turns', field: 'reasoning_content' },
  errors: {
    ...codes('model/auth', 1000, 1001, 1002, 1003, 1004),
    ...codes('model/quota', 1113, 1304, 1308, 1309, 1310, 1313),
    ...codes('model/auth', 1110, 1111, 1112, 1115, 1116, 1117, 1118, 1119, 1120, 1121),
    ...codes('model/bad-request', 1210, 1211, 1213, 1214, 1220, 1221, 1222, 1311),
    ...codes('model/context-overflow', 1261),
    ...codes('model/refused', 1301),
    ...codes('model/rate-limit', 1302, 1303, 1305, 1312),
    ...codes('model/overloaded', 500, 1234),
  },
  families: [
    { models: '^glm-[\\d.]+v.*thinking', ...SEES, thinking: ALWAYS },
    { models: '^glm-[\\d.]+v', ...SEES },
    { models: '^glm-z1', thinking: ALWAYS },
  ],
});
