import { isObject } from '../../internal/index.ts';
import type { ToolSchema } from '../../model/index.ts';
import type { Outcome } from './conversation.ts';
import { QUESTION_MARK } from './conversation.ts';
import type { Step } from './plan.ts';
import { findExpressions } from './expression.ts';

/** The first line of the first answer: nobody should take this for a language model. */
export const STAND_IN =
  'I am a rule-based stand-in, not a language model. For real answers set OPENAI_API_KEY, or start with --model openai:<name>.';

/** What to say when there is nothing (more) to call: results, questions, or what is possible here. */
export function wordAnswer(asked: string, steps: readonly Step[], { outcomes, tools }: { outcomes: readonly Outcome[]; tools: readonly ToolSchema[] }): string {
  const lines = outcomes.map(wordOutcome);
  lines.push(...steps.filter((step) => step.type === 'ask').map(wordQuestion));
  const unmet = steps.filter((step) => step.type === 'none').filter(({ wish, isUnread }) => isUnread === true || isQuestion(wish));
  if (lines.length > 0) return [...lines, ...unmet.map(wordRefusal)].join('\n');
  return smallTalk(asked, tools);
}

/** Whether the text only greets, thanks or asks what is possible; then no tool is looked for. */
export function isSmallTalk(text: string): boolean {
  const said = text.trim();
  return HELP.test(said) || GREETING.test(said) || THANKS.test(said);
}

const HELP = /^(?:hi|hello|hey)?[\s,!.]*(?:please\s+)?(?:help(?: me)?|what (?:all )?(?:can|could|do) you (?:do|help)(?: (?:for|with) me| me with)?|how (?:can|do|does) (?:you help|this work|i use (?:you|this))(?: me)?|who are you|what are you|what tools (?:do you have|are there)|你能做什么|你是谁)[\s?!.？。]*$/i;
const GREETING = /^(?:hi|hello|hey|hallo|bonjour|good (?:morning|afternoon|evening|day)|how are you|你好|您好|こんにちは)(?:\s+(?:there|again|you|all|agent|friday))?[\s?!.,~！。]*(?:how are you)?[\s?!.]*$/i;
const THANKS = /^(?:ok(?:ay)?[\s,.!]*)?(?:thanks|thank you|thx|great|nice|cool|bye|goodbye|see you|谢谢|再见)(?:\s+(?:a lot|so much|very much|you))?[\s!.,。]*$/i;

function smallTalk(asked: string, tools: readonly ToolSchema[]): string {
  const said = asked.trim();
  if (said === '') return `I can only read text, and there was none. ${offer(tools)}`;
  if (THANKS.test(said)) return 'You are welcome.';
  if (GREETING.test(said)) return `Hello! ${offer(tools)}`;
  if (HELP.test(said)) return offer(tools);
  return `I found no tool for that, and without one I know nothing. ${offer(tools)}`;
}

function offer(tools: readonly ToolSchema[]): string {
  if (tools.length === 0) return 'I have no tools here, so there is nothing I can do for you.';
  return `What I can do:\n${tools.slice(0, 30).map(({ name, description }) => `- ${name}: ${firstSentence(description)}`).join('\n')}`;
}

function firstSentence(text: string): string {
  return shortened(/^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text, 120);
}

function isQuestion(wish: string): boolean {
  return !isSmallTalk(wish) && /^(?:and |also |then |please )*(?:what|who|whose|when|where|which|why|how|tell|show|give|find|make|write|explain|can|could)\b/i.test(wish);
}

function wordRefusal(step: Step & { readonly type: 'none' }): string {
  return `${step.isUnread === true ? 'I could not read' : 'I found no tool for'}: ${shortened(step.wish, 120)}`;
}

function wordQuestion(step: Step & { readonly type: 'ask' }): string {
  const missing = step.missing.map(({ path, schema }) => {
    const about = typeof schema.description === 'string' && schema.description !== '' ? [schema.description] : [];
    const allowed = Array.isArray(schema.enum) ? [`one of ${schema.enum.map(String).join(', ')}`] : [];
    const detail = [...about, ...allowed].join('; ');
    return detail === '' ? path.join('.') : `${path.join('.')} (${shortened(detail, 160)})`;
  });
  return `For ${step.tool.name} I still need: ${missing.join(', ')}. ${QUESTION_MARK}`;
}

function wordOutcome({ name, input, state, text }: Outcome): string {
  const said = text.trim();
  if (state === 'error') return `${name} failed: ${shortened(said.replace(/^\[ERROR\]\s*/, ''), 500) || 'it gave no reason'}`;
  if (state === 'denied') return `${name} was not allowed${said === '' ? '.' : `: ${shortened(said, 300)}`}`;
  if (state === 'interrupted') return `${name} was interrupted, so there is no result.`;
  const value = plain(said);
  if (value.includes('\n') || value.length > 120) return `${name}:\n${shortened(value, 4_000)}`;
  const subject = onlyText(input);
  if (subject !== undefined && isExpression(subject) && /^[-+]?[\d.]/.test(value)) return `${subject} = ${value}`;
  return `${subject ?? name}: ${value}`;
}

/** An object with one member is its value, a flat one is a list of its members; anything else stays as it is. */
function plain(text: string): string {
  if (!/^[{"]/.test(text)) return text;
  const value = parsed(text);
  if (typeof value === 'string') return value;
  if (!isObject(value)) return text;
  const members = Object.entries(value);
  if (members.length === 0 || members.some(([, member]) => typeof member === 'object' && member !== null)) return text;
  return members.length === 1 ? String(members[0]?.[1]) : members.map(([key, member]) => `${key} ${String(member)}`).join(', ');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the call was about, where that is one short text. */
function onlyText(input: Readonly<Record<string, unknown>>): string | undefined {
  const values = Object.values(input).filter((value) => value !== undefined);
  const [first] = values;
  return values.length === 1 && typeof first === 'string' && first.length <= 80 && !first.includes('\n') ? first : undefined;
}

function isExpression(text: string): boolean {
  const [first] = findExpressions(text);
  return first !== undefined && first.start === 0 && first.end === text.length;
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;
}
