import { findExpressions } from './expression.ts';
import { findPlaces } from './places.ts';

export type ValueKind = 'quoted' | 'url' | 'email' | 'path' | 'date' | 'time' | 'place' | 'zone' | 'expression' | 'number';

/** A value a text mentions, and where. */
export interface FoundValue {
  readonly kind: ValueKind;
  readonly value: string | number;
  readonly start: number;
  readonly end: number;
}

/** Everything in a text that has the shape of a value, by kind and from left to right. What lies inside a date, address or path is no number. */
export function findValues(text: string): readonly FoundValue[] {
  const literal = [...matches(text, { kind: 'quoted', pattern: QUOTED, read: (match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? '' }), ...addresses(text)];
  const dates = [...matches(text, { kind: 'date', pattern: ISO_DATE, read: (match) => match[0] }), ...matches(text, { kind: 'date', pattern: LONG_DATE, read: longDate })];
  const times = matches(text, { kind: 'time', pattern: TIME, read: clockTime });
  const taken = [...literal, ...dates, ...times];
  const free = <T extends { start: number; end: number }>(found: readonly T[]): readonly T[] => found.filter((value) => !taken.some((other) => overlaps(value, other)));
  const places = findPlaces(text);
  return [
    ...literal,
    ...dates,
    ...times,
    ...places.map(({ value, start, end }) => ({ kind: 'place' as const, value, start, end })),
    ...places.map(({ zone, start, end }) => ({ kind: 'zone' as const, value: zone, start, end })),
    ...findExpressions(text).filter((value) => !dates.some((date) => overlaps(date, value))).map((value) => ({ kind: 'expression' as const, ...value })),
    ...free(numbers(text)),
  ];
}

export function overlaps(a: { readonly start: number; readonly end: number }, b: { readonly start: number; readonly end: number }): boolean {
  return a.start < b.end && b.start < a.end;
}

const QUOTED = /"([^"\n]+)"|“([^”\n]+)”|`([^`\n]+)`|(?<![\p{L}\p{N}])'([^'\n]+)'(?![\p{L}\p{N}])/gu;
const URL_SHAPE = /\bhttps?:\/\/[^\s"'<>]+[^\s"'<>.,;:!?)]/g;
const EMAIL = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
/** `/a/b`, `./a`, `~/a`, `C:\a`, `a/b.txt`, `notes.md`, `*.log`. */
const PATH = /(?<![\w/:.@*-])(?:(?:~|\.{1,2})?\/[\w.@*-]+(?:\/[\w.@*-]*)*|[A-Za-z]:\\[\w.\\-]+|(?:[\w@*-]+\/)+[\w.@*-]*|[\w*-][\w.*-]*\.(?!com\b|org\b|net\b)[A-Za-z][A-Za-z0-9]{0,4})(?![\w/])/g;
const ISO_DATE = /\b\d{4}-\d{2}-\d{2}\b/g;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const LONG_DATE = new RegExp(`\\b(?:(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}|${MONTH} (\\d{1,2})(?:st|nd|rd|th)?),? (\\d{4})\\b`, 'gi');
const TIME = /\b(?:([01]?\d|2[0-3]):([0-5]\d)(?:\s?([ap])\.?m\b)?|(1[0-2]|[1-9])\s?([ap])\.?m\b)/gi;
const NUMBER = /(?<![\p{L}\p{N}_.,#-])[-+−]?(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+)(?:\.\d+)?(?![\d]|-?\p{Lu}|[.,:]\d)/gu;
const NUMBER_WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const NUMBER_WORD = new RegExp(`\\b(?:${NUMBER_WORDS.slice(2).join('|')})\\b`, 'gi');

interface Shape {
  readonly kind: ValueKind;
  readonly pattern: RegExp;
  readonly read: (match: RegExpExecArray) => string | number;
}

function matches(text: string, { kind, pattern, read }: Shape): readonly FoundValue[] {
  return Array.from(text.matchAll(pattern), (match) => ({ kind, value: read(match), start: match.index, end: match.index + match[0].length }));
}

function addresses(text: string): readonly FoundValue[] {
  const urls = matches(text, { kind: 'url', pattern: URL_SHAPE, read: (match) => match[0] });
  const emails = matches(text, { kind: 'email', pattern: EMAIL, read: (match) => match[0] });
  const others = [...urls, ...emails];
  const paths = matches(text, { kind: 'path', pattern: PATH, read: (match) => match[0].replace(/\.$/, '') });
  return [...others, ...paths.filter((path) => !/^[\d./*-]+$/.test(String(path.value)) && !others.some((other) => overlaps(other, path)))];
}

function longDate(match: RegExpExecArray): string {
  const [, dayBefore, monthAfter, monthBefore, dayAfter, year] = match;
  const month = MONTHS.indexOf((monthAfter ?? monthBefore ?? '').slice(0, 3).toLowerCase()) + 1;
  return `${year}-${String(month).padStart(2, '0')}-${(dayBefore ?? dayAfter ?? '').padStart(2, '0')}`;
}

function clockTime([, hour24, minute, half24, hour12, half12]: RegExpExecArray): string {
  const half = (half24 ?? half12)?.toLowerCase();
  const hour = Number(hour24 ?? hour12);
  const shifted = half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0);
  return `${String(shifted).padStart(2, '0')}:${minute ?? '00'}`;
}

function numbers(text: string): readonly FoundValue[] {
  const digits = matches(text, { kind: 'number', pattern: NUMBER, read: (match) => Number(match[0].replaceAll(',', '').replace('−', '-')) });
  const words = matches(text, { kind: 'number', pattern: NUMBER_WORD, read: (match) => NUMBER_WORDS.indexOf(match[0].toLowerCase()) });
  return [...digits, ...words].toSorted((a, b) => a.start - b.start);
}
