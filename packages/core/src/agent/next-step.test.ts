import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Facts } from '../event/index.ts';
import type { ContentBlock, ToolResultState, ToolUseBlock } from '../message/index.ts';
import { nextStep, openCalls } from './next-step.ts';
import type { StepFacts } from './next-step.ts';

const LIMITS = { maxIters: 3, maxRepairs: 2 };
const FRESH: Facts = { replyId: 'r', agentName: 'a', inputIds: [], running: true, closed: false, iterations: 0, repairs: 0, calls: 0, interrupted: false, exceeded: false, refused: [] };

const ended = (call: number, more: Partial<NonNullable<Facts['lastCall']>> = {}): NonNullable<Facts['lastCall']> => ({ call, purpose: 'reason', ended: true, finishReason: 'stop', ...more });
const after = (calls: number, more: Partial<Facts> = {}): Facts => ({ ...FRESH, iterations: calls, calls, lastCall: ended(calls), ...more });
const text = (value: string, call = 1): ContentBlock => ({ type: 'text', text: value, call });
const thought = (call = 1): ContentBlock => ({ type: 'thinking', thinking: 'hm', call });
const use = (id: string, state: ToolUseBlock['state'] = 'pending', call = 1): ToolUseBlock => ({ type: 'tool_use', id, name: 't', input: {}, content: '{}', state, metadata: {}, call });
const result = (id: string, state: ToolResultState = 'success'): ContentBlock => ({ type: 'tool_result', id, name: 't', output: [], state, metadata: {} });
const next = (content: readonly ContentBlock[], facts: StepFacts) => nextStep({ content }, facts, LIMITS);

const INTERRUPTED: Partial<Facts> = { interrupted: true };
const STOPPED: Partial<Facts> = { stop: { reason: 'enough', generateReason: 'ACTING_STOP_REQUESTED' } };
const CUT: Partial<Facts> = { lastCall: ended(1, { ended: false }) };
const FAILED: Partial<Facts> = { lastCall: ended(1, { error: { type: 'model/network', message: 'gone' } }) };

test('row 1: an interrupt finishes, and so does an error of the model', () => {
  expect(next([], { ...FRESH, ...INTERRUPTED })).toEqual({ kind: 'finish', reason: 'INTERRUPTED' });
  expect(next([text('half')], after(1, FAILED))).toEqual({ kind: 'finish', reason: 'MODEL_STOP', error: { type: 'model/network', message: 'gone' } });
});

test('row 1 before 2: an interrupt wins over a model call that a crash cut off', () => {
  expect(next([], { ...FRESH, ...CUT, ...INTERRUPTED }).kind).toBe('finish');
});

test('row 2: a model call that did not end is discarded', () => {
  expect(next([text('half')], { ...FRESH, ...CUT })).toEqual({ kind: 'discard', call: 1 });
});

test('row 2 before 3: the cut call is discarded also when a stop was asked for', () => {
  expect(next([], { ...FRESH, ...CUT, ...STOPPED }).kind).toBe('discard');
});

test('row 3: a stop that was asked for pauses with its reason', () => {
  expect(next([text('x')], after(1, STOPPED))).toEqual({ kind: 'pause', reason: 'ACTING_STOP_REQUESTED' });
});

test('row 3 before 4: the reason of the stop wins over an open question', () => {
  expect(next([use('c', 'asking')], after(1, STOPPED))).toEqual({ kind: 'pause', reason: 'ACTING_STOP_REQUESTED' });
});

test('row 4: an open question pauses, outside work too; the question has the word', () => {
  expect(next([use('c', 'asking')], after(1))).toEqual({ kind: 'pause', reason: 'PERMISSION_ASKING' });
  expect(next([use('c', 'submitted'), result('c', 'running')], after(1))).toEqual({ kind: 'pause', reason: 'TOOL_SUSPENDED' });
  expect(next([use('c', 'submitted'), use('d', 'asking')], after(1))).toEqual({ kind: 'pause', reason: 'PERMISSION_ASKING' });
});

test('row 4 before 5: while one call asks, its pending sibling does not act', () => {
  expect(next([use('c'), use('d', 'asking')], after(1)).kind).toBe('pause');
});

test('row 5: a step of which every call was denied, one by a person, is said once; not when a rule denied all, or one ran', () => {
  const denied = [use('a', 'finished'), result('a', 'denied'), use('b', 'finished'), result('b', 'denied')];
  expect(next(denied, after(1, { refused: ['a'] }))).toEqual({ kind: 'act', calls: [] });
  expect(next(denied, after(1, { refused: ['a'], allDenied: 1 })).kind).toBe('reason');
  expect(next(denied, after(1)).kind).toBe('reason');
  expect(next([...denied, use('c', 'finished'), result('c')], after(1, { refused: ['a'] })).kind).toBe('reason');
});

test('row 5 before 8: it is said also when no model call is left', () => {
  expect(next([use('a', 'finished', 3), result('a', 'denied')], after(3, { refused: ['a'] })).kind).toBe('act');
});

test('row 9: the same failure in three model calls in a row stops; after a stop three more are needed', () => {
  const rounds = (...calls: readonly number[]): readonly ContentBlock[] => calls.flatMap((call) => [use(`c${call}`, 'finished', call), result(`c${call}`, 'error')]);
  const twice = { ...LIMITS, maxIters: 9 };
  const stepAfter = (content: readonly ContentBlock[], facts: StepFacts) => nextStep({ content }, facts, twice).kind;
  expect(stepAfter(rounds(1, 2, 3), after(3))).toBe('stop');
  expect(stepAfter(rounds(1, 2), after(2))).toBe('reason');
  expect(stepAfter(rounds(1, 2, 3, 4), after(4, { stoppedAt: 3 }))).toBe('reason');
  expect(stepAfter(rounds(1, 2, 3, 4, 5, 6), after(6, { stoppedAt: 3 }))).toBe('stop');
  expect(stepAfter([...rounds(1, 2), use('x', 'finished', 3), result('x')], after(3))).toBe('reason');
});

test('row 8 before 9: at the limit the summary is made', () => {
  const failed = [1, 2, 3].flatMap((call) => [use(`c${call}`, 'finished', call), result(`c${call}`, 'error')]);
  expect(next(failed, after(3)).kind).toBe('summarise');
});

const FITS: StepFacts['verdict'] = { ok: true, value: { n: 1 } };
const misfit = (more: Partial<Extract<NonNullable<StepFacts['verdict']>, { ok: false }>> = {}): NonNullable<StepFacts['verdict']> => ({ ok: false, problem: 'n: is required', called: false, refused: false, attempts: 1, triesLeft: true, ...more });

test('row 6: an answer that fits the schema finishes with its data; at the limit the reason says so', () => {
  expect(next([text('{"n":1}')], { ...after(1), verdict: FITS })).toEqual({ kind: 'finish', reason: 'STRUCTURED_OUTPUT', data: { n: 1 } });
  expect(next([use('c', 'finished'), result('c')], { ...after(1), verdict: FITS })).toEqual({ kind: 'finish', reason: 'STRUCTURED_OUTPUT', data: { n: 1 } });
  expect(next([text('{"n":1}', 4)], { ...after(4, { exceeded: true, lastCall: ended(4, { purpose: 'summary' }) }), verdict: FITS })).toEqual({ kind: 'finish', reason: 'MAX_ITERATIONS', data: { n: 1 } });
});

test('row 6: an answer in words that does not fit is mended; one by the tool has its error result, and the model goes on', () => {
  expect(next([text('hm')], { ...after(1), verdict: misfit() })).toEqual({ kind: 'repair', cause: 'structured', problem: 'n: is required' });
  expect(next([], { ...after(1), verdict: misfit() })).toEqual({ kind: 'repair', cause: 'structured', problem: 'n: is required' });
  expect(next([use('c', 'finished'), result('c', 'error')], { ...after(1), verdict: misfit({ called: true }) })).toEqual({ kind: 'reason' });
});

test('row 6: no tries left, or a refusal, finishes with a typed error', () => {
  const given = { ...after(1), verdict: misfit({ attempts: 4, triesLeft: false }) };
  expect(next([text('hm')], given)).toMatchObject({ kind: 'finish', reason: 'MODEL_STOP', error: { type: 'agent/structured-output-invalid' } });
  expect(next([use('c', 'finished'), result('c', 'error')], { ...given, verdict: misfit({ called: true, triesLeft: false }) })).toMatchObject({ error: { type: 'agent/structured-output-invalid' } });
  expect(next([text('No.')], { ...after(1), verdict: misfit({ refused: true }) })).toMatchObject({ kind: 'finish', error: { type: 'model/refused' } });
});

test('row 5 before 6: an open call acts before its sibling that answered counts; rows 3 and 4 come first too', () => {
  const answered = [use('c'), use('d', 'finished'), result('d')];
  expect(next(answered, { ...after(1), verdict: FITS })).toEqual({ kind: 'act', calls: [answered[0]] });
  expect(next([use('c', 'asking')], { ...after(1), verdict: FITS }).kind).toBe('pause');
  expect(next([text('x')], { ...after(1, STOPPED), verdict: FITS }).kind).toBe('pause');
});

test('row 6: a steering message goes before an answer that fits, while a model call is left', () => {
  expect(next([text('{"n":1}')], { ...after(1), verdict: FITS, steers: 1 }).kind).toBe('reason');
  expect(next([use('c', 'finished'), result('c')], { ...after(1), verdict: FITS, steers: 1 }).kind).toBe('reason');
  expect(next([text('{"n":1}', 3)], { ...after(3), verdict: FITS, steers: 1 }).kind).toBe('finish');
});

test('row 6 before 7 and 8: words that do not fit are mended also when no model call is left; a failed tool answer then leads to the summary', () => {
  expect(next([text('hm', 3)], { ...after(3), verdict: misfit() }).kind).toBe('repair');
  expect(next([use('c', 'finished', 3), result('c', 'error')], { ...after(3), verdict: misfit({ called: true }) }).kind).toBe('summarise');
});

test('row 7: a summary that does not fit finishes as the limit says', () => {
  expect(next([text('so far', 4)], { ...after(4, { exceeded: true, lastCall: ended(4, { purpose: 'summary' }) }), verdict: misfit() })).toEqual({ kind: 'finish', reason: 'MAX_ITERATIONS' });
});

test('row 9: answers that fail in the same way are bounded by row 6, not by being stuck', () => {
  const rounds = [1, 2, 3].flatMap((call) => [use(`c${call}`, 'finished', call), result(`c${call}`, 'error')]);
  const limits = { ...LIMITS, maxIters: 9 };
  expect(nextStep({ content: rounds }, { ...after(3), verdict: misfit({ called: true, attempts: 3 }) }, limits).kind).toBe('reason');
});

test('row 5: acts on exactly the calls without a sealed result, in call order', () => {
  const [a, b, c] = [use('a'), use('b', 'allowed'), use('c', 'finished')];
  expect(next([a, b, c, result('b', 'running')], after(1))).toEqual({ kind: 'act', calls: [a, b, c] });
  expect(next([a, b, c, result('b'), result('a', 'denied')], after(1))).toEqual({ kind: 'act', calls: [c] });
});

test('row 5 before 6, 7 and 8: an open call acts whatever else the answer was, at the limit too', () => {
  expect(next([use('a', 'pending', 3)], after(3)).kind).toBe('act');
  expect(next([thought(), use('a')], after(1)).kind).toBe('act');
});

test('C014 row 6: an empty answer, only thinking, and a pause of the provider are tried again', () => {
  expect(next([], after(1))).toEqual({ kind: 'repair', cause: 'empty' });
  expect(next([text('  ')], after(1))).toEqual({ kind: 'repair', cause: 'empty' });
  expect(next([thought()], after(1))).toEqual({ kind: 'repair', cause: 'only-thinking' });
  expect(next([text('so far')], after(1, { lastCall: ended(1, { finishReason: 'pause' }) }))).toEqual({ kind: 'repair', cause: 'cut' });
  expect(next([], after(1, { lastCall: ended(1, { finishReason: 'tool_calls' }) }))).toEqual({ kind: 'repair', cause: 'empty' });
});

test('C058 row 6 before 7: when the tries are used up it finishes with an error that says so', () => {
  expect(next([thought()], after(3, { repairs: 2 }))).toEqual({ kind: 'finish', reason: 'MODEL_STOP', error: { type: 'model/empty-answer', message: expect.any(String) } });
});

test('row 6: an answer while a steering message waits is gone on from once more, as long as a model call is left', () => {
  expect(next([text('done')], { ...after(1), steers: 1 })).toEqual({ kind: 'reason' });
  expect(next([text('done')], { ...after(1), steers: 0 }).kind).toBe('finish');
  expect(next([text('done', 3)], { ...after(3), steers: 1 })).toEqual({ kind: 'finish', reason: 'MODEL_STOP' });
  expect(next([thought()], { ...after(2, { repairs: 2 }), steers: 1 })).toEqual({ kind: 'reason' });
  expect(next([], { ...after(1, { lastCall: ended(1, { finishReason: 'content_filter' }) }), steers: 1 })).toEqual({ kind: 'reason' });
});

test('rows 1 to 5 before a steering message: it waits for the next model call', () => {
  expect(next([text('half')], { ...after(1, FAILED), steers: 1 }).kind).toBe('finish');
  expect(next([text('half')], { ...after(1, INTERRUPTED), steers: 1 }).kind).toBe('finish');
  expect(next([text('x')], { ...after(1, STOPPED), steers: 1 }).kind).toBe('pause');
  expect(next([use('c', 'asking')], { ...after(1), steers: 1 }).kind).toBe('pause');
  expect(next([use('c')], { ...after(1), steers: 1 }).kind).toBe('act');
  expect(next([use('a', 'finished', 3), result('a')], { ...after(3), steers: 1 }).kind).toBe('summarise');
});

test('row 7: an answer without calls finishes; a refusal without words is an error, without another try', () => {
  expect(next([text('done')], after(1))).toEqual({ kind: 'finish', reason: 'MODEL_STOP' });
  expect(next([], after(1, { lastCall: ended(1, { finishReason: 'content_filter' }) }))).toMatchObject({ kind: 'finish', error: { type: 'model/refused' } });
});

test('row 7 before 8: an answer at the limit is the answer, and a summary ends it with MAX_ITERATIONS, empty or not', () => {
  expect(next([text('done', 3)], after(3))).toEqual({ kind: 'finish', reason: 'MODEL_STOP' });
  const summary = after(3, { exceeded: true, calls: 4, lastCall: ended(4, { purpose: 'summary' }) });
  expect(next([text('summary', 4)], summary)).toEqual({ kind: 'finish', reason: 'MAX_ITERATIONS' });
  expect(next([], summary)).toEqual({ kind: 'finish', reason: 'MAX_ITERATIONS' });
});

test('row 8: no model call left and calls were answered: summarise', () => {
  expect(next([use('a', 'finished', 3), result('a')], after(3))).toEqual({ kind: 'summarise' });
});

test('row 8 before 9: one call below the limit reasons', () => {
  expect(next([use('a', 'finished', 2), result('a')], after(2))).toEqual({ kind: 'reason' });
});

test('row 9: a fresh reply reasons', () => {
  expect(next([], FRESH)).toEqual({ kind: 'reason' });
});

test('C024 a repeated call id: each result answers the newest call before it', () => {
  const first = use('f:0', 'finished', 1);
  const second = use('f:0', 'pending', 2);
  expect(openCalls([first, result('f:0'), second])).toEqual([second]);
  expect(openCalls([first, result('f:0'), second, result('f:0')])).toEqual([]);
  expect(openCalls([first, second, result('f:0')])).toEqual([first]);
});

test('C029 I4 open calls are those without a sealed result, for any ids', () => {
  const id = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString');
  const state = fc.constantFrom<ToolResultState>('success', 'error', 'running');
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(id, fc.option(state)), { selector: ([name]) => name }), (calls) => {
      const content = [...calls.map(([name]) => use(name)), ...calls.flatMap(([name, sealed]) => (sealed ? [result(name, sealed)] : []))];
      const open = calls.filter(([, sealed]) => sealed === null || sealed === 'running').map(([name]) => name);
      expect(openCalls(content).map((call) => call.id)).toEqual(open);
    }),
  );
});
