export { defineTool } from './define-tool.ts';
export { jsonCopy } from './json-copy.ts';
export type { ExternalToolSpec, ToolInput, ToolSpec } from './spec.ts';
export { toOutput } from './output.ts';
export { isToolCall, isToolOutput, toolResult } from './tool-result.ts';
export { Toolkit } from './toolkit.ts';
export type { ToolGroup, ToolkitOptions, ToolSource } from './toolkit.ts';
export type * from './tool.ts';
