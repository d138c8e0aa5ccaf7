export { collect } from './collect.ts';
export { scriptedModel } from './scripted-model.ts';
export type { ScriptedModel, ScriptedPart, ScriptedReply } from './scripted-model.ts';
