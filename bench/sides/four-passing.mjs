// This library with four middlewares that wrap every stage and pass on what comes.
import { runWith } from './agentscope.mjs';

const passing = () => ({
  async *onAgent(input, next) {
    yield* next(input);
  },
  async *onReasoning(input, next) {
    yield* next(input);
  },
  async *onModelCall(input, next) {
    yield* next(input);
  },
  async *onActing(input, next) {
    yield* next(input);
  },
  async *onToolCall(input, next) {
    yield* next(input);
  },
});

export const run = runWith([passing(), passing(), passing(), passing()]);
