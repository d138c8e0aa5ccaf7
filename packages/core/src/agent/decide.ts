import { canonicalJson, parseObject, sha256 } from '../internal/index.ts';
import type { JsonObject } from '../internal/index.ts';
import type { ContentBlock, Msg, ToolUseBlock } from '../message/index.ts';
import type { PermissionDecision, PermissionEngine } from '../permission/index.ts';
import type { FullSessionKey } from '../session/index.ts';
import type { AnyTool, ToolContext } from '../tool/index.ts';
import type { Reply } from './reply.ts';
import type { RunRecord } from './results.ts';
import { checkContext } from './tool-context.ts';

/** A call that may run: what it runs with, and what the record says. */
export interface ReadyCall {
  readonly kind: 'run';
  readonly call: ToolUseBlock;
  readonly tool: AnyTool;
  /** Parsed and validated. */
  readonly input: unknown;
  readonly key: string;
  readonly run: RunRecord;
}
export type Verdict =
  | ReadyCall
  | { readonly kind: 'ask'; readonly call: ToolUseBlock; readonly question: PermissionDecision }
  | { readonly kind: 'deny'; readonly call: ToolUseBlock; readonly by: string; readonly text: string }
  | { readonly kind: 'fail'; readonly call: ToolUseBlock; readonly text: string }
  | { readonly kind: 'external'; readonly call: ToolUseBlock; readonly run: Pick<RunRecord, 'decision' | 'by'> };

/** What deciding a call needs beside it. */
export interface Deciding {
  /** Place of the call among the calls of its model call, from 0. */
  position(call: ToolUseBlock): number;
  /** The context a tool's own check sees; it cannot emit. */
  contextFor(call: ToolUseBlock, key: string): ToolContext;
  readonly policy: PermissionEngine;
}

export async function decidingFor(reply: Reply): Promise<Deciding> {
  const { content } = reply.message();
  return { position: (call) => positionOf(call, content), contextFor: (call, key) => checkContext(reply, call, key), policy: await reply.policy() };
}

/** Looks from the end, where the calls to decide stand: a long reply is not walked through in each round. */
function positionOf(call: ToolUseBlock, content: readonly ContentBlock[]): number {
  let position = 0;
  for (let i = content.lastIndexOf(call) - 1; i >= 0; i--) {
    const block = content[i];
    if (block?.type !== 'tool_use') continue;
    if (block.call !== call.call) break;
    position++;
  }
  return position;
}

/**
 * What becomes of one call, before any call of its batch runs. What the model can mend (unknown tool, broken arguments) is a failed
 * call with a text that says how.
 */
export async function decide(reply: Reply, call: ToolUseBlock, { position, contextFor, policy }: Deciding): Promise<Verdict> {
  const { toolkit } = reply.config;
  if (reply.facts().refused.includes(call.id) && call.state === 'finished') return refusal(call);
  const { tool, problem } = reply.structured?.lookup(call.name) ?? toolkit.lookup(call.name);
  if (!tool) return { kind: 'fail', call, text: `[ERROR] ${call.name === '' ? `The call names no tool. ${problem}` : problem}` };
  const written = argumentsOf(call);
  if (!written) return { kind: 'fail', call, text: brokenArguments(reply, call) };
  const parsed = await tool.parseInput(written);
  if (!parsed.ok) return { kind: 'fail', call, text: `[ERROR] Invalid arguments for ${call.name}: ${parsed.message}` };
  if (tool === reply.structured?.tool) return { kind: 'run', call, tool, input: parsed.input, key: '', run: { decision: 'allow', by: 'structured output', effect: tool.effect } };
  const key = await keyOf([...placeOf(reply.key, reply.replyId, call), position(call)], tool, written);
  return judge({ call, tool, input: parsed.input, written, key, policy }, contextFor(call, key));
}

/** A call a person refused, with the reason that came along. */
function refusal(call: ToolUseBlock): Verdict {
  const reason = call.metadata['refusalReason'];
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
  return { kind: 'deny', call, by: 'user', text: `Permission denied by user${why}` };
}

interface Candidate {
  readonly call: ToolUseBlock;
  readonly tool: AnyTool;
  readonly input: unknown;
  readonly written: JsonObject;
  readonly key: string;
  readonly policy: PermissionEngine;
}

/** A deny counts also over a person's yes; an ask until a person said yes to these arguments, or a rule answers it. */
async function judge(candidate: Candidate, context: ToolContext): Promise<Verdict> {
  const { call, tool, input, written, policy } = candidate;
  const own = await tool.checkPermission(input, context);
  const approved = call.state === 'allowed' && typeof call.metadata['allowedBy'] !== 'string';
  const matches = tool.matchRule && ((content: string): boolean => tool.matchRule?.(content, written) === true);
  const verdict = policy.checkPermission({ tool: call.name, input: written, readOnly: tool.readOnly, own, approved, matches });
  if (verdict.behavior === 'deny') return { kind: 'deny', call, by: verdict.by, text: `Permission denied${verdict.message ? `: ${verdict.message}` : ` by ${call.name}`}` };
  if (verdict.behavior === 'ask') return { kind: 'ask', call, question: verdict };
  const decided = approved ? ({ decision: 'user-allow', by: 'user' } as const) : ({ decision: 'allow', by: verdict.by } as const);
  if (tool.external) return { kind: 'external', call, run: decided };
  return { kind: 'run', call, tool, input, key: candidate.key, run: await recordOf(candidate, decided) };
}

/** The hash of the arguments only where running twice would matter: it costs more than many a reading tool does. */
async function recordOf({ tool, written, key }: Candidate, decided: Pick<RunRecord, 'decision' | 'by'>): Promise<RunRecord> {
  if (tool.effect === 'read') return { ...decided, effect: tool.effect };
  return { ...decided, effect: tool.effect, inputHash: await sha256(canonicalJson(written)), key };
}

/** The key of a call that was decided before. */
export async function callKey({ key, message, call, tool }: { readonly key: FullSessionKey; readonly message: Msg; readonly call: ToolUseBlock; readonly tool: AnyTool }): Promise<string> {
  return keyOf([...placeOf(key, message.id, call), positionOf(call, message.content)], tool, argumentsOf(call) ?? {});
}

function placeOf({ userId, sessionId }: FullSessionKey, replyId: string, call: ToolUseBlock): readonly (string | number | null)[] {
  return [userId ?? null, sessionId, replyId, call.call ?? 0];
}

/** Made of where the call stands and what it runs with, never of the model's call id (DESIGN §4): the same after a crash. */
async function keyOf(place: readonly (string | number | null)[], tool: AnyTool, written: JsonObject): Promise<string> {
  return tool.effect === 'read' ? place.join('/') : sha256(canonicalJson([...place, written]));
}

/** The arguments as an object; nothing, an empty text and `null` are `{}` (a call without arguments). */
function argumentsOf(call: ToolUseBlock): JsonObject | undefined {
  const text = call.content?.trim() ?? '';
  if (text === '' || text === 'null') return call.input;
  return parseObject(text);
}

function brokenArguments(reply: Reply, call: ToolUseBlock): string {
  const cut = reply.facts().lastCall?.finishReason === 'length';
  return cut
    ? `[ERROR] The arguments of ${call.name} were cut off by the output limit. Call it again with shorter arguments.`
    : `[ERROR] The arguments of ${call.name} are not a JSON object. Call it again with valid JSON.`;
}
