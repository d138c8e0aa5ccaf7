export type * from './tool.ts';
