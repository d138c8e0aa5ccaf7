// This library with four middlewares that wrap nothing.
import { runWith } from './agentscope.mjs';

export const run = runWith([{}, {}, {}, {}]);
