export type { FormatOptions, Formatter, FormatterTool } from './formatter.ts';
export { isMedia, mediaKindOf, mediaNote, mediaTypeOf } from './media.ts';
export type { MediaKind } from './media.ts';
export { toolNames } from './names.ts';
export type { NameMap } from './names.ts';
export { isBlank, wellFormedJson } from './text.ts';
export { createTurnCutter, GO_ON } from './turns.ts';
export type { TurnRules } from './turns.ts';
export type { AssistantTurn, SystemTurn, ToolTurn, Turn, TurnCall, TurnResult, UserTurn } from './turn.ts';
