export { collect } from './collect.ts';
export { scriptedModel } from './scripted-model.ts';
export type { ScriptedModel, ScriptedPart, ScriptedReply } from './scripted-model.ts';
export { storeContract } from './store-contract.ts';
export type { StoreContractOptions, StoreTestRunner, StoreUnderTest } from './store-contract.ts';
export { createRuntimeContext } from '../state/index.ts';
