export { defineTool } from './define-tool.ts';
export type { EmptySchema, ExternalToolSpec, OutputOf, ToolInput, ToolSpec } from './spec.ts';
export { toOutput } from './output.ts';
export { createToolContext } from './tool-context.ts';
export { isToolCall, isToolOutput, toolResult } from './tool-result.ts';
export { Toolkit, toToolkit } from './toolkit.ts';
export type { GroupSelection, ToolDescription, ToolGroup, ToolkitOptions, ToolLookup, ToolSource } from './toolkit.ts';
export type * from './tool.ts';
