// What programs on Node have beside the root, which runs in a browser.
export { TerminalUserInput } from './agent/node.ts';
export type { TerminalUserInputOptions } from './agent/node.ts';
export { download } from './provider/shared/index.ts';
