export type { Accepted, Agent, AgentInput, Answer, CallOptions, EventStream, InterruptOptions, InterruptReceipt, RunOptions, SessionStreamOptions, StreamOptions } from './agent.ts';
export { AgentSession } from './agent-session.ts';
export type { EventsOptions } from './agent-session.ts';
export { approve, deny, provide } from './answers.ts';
export type { ReActAgentOptions } from './config.ts';
export { nextStep } from './next-step.ts';
export type { ReplyError, Step, StepLimits } from './next-step.ts';
export type { ConfirmDecision, ConfirmQuestion, ExternalQuestion, PendingQuestion } from './questions.ts';
export { ReActAgent } from './react-agent.ts';
