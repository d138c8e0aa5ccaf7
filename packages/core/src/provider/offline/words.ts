/** Words in lower case, `camelCase` and `snake_case` taken apart; scripts without blanks give pairs of signs. */
export function wordsOf(text: string): readonly string[] {
  const parts = text.normalize('NFKC').replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return parts.flatMap((part) => (UNSPACED.test(part) ? pairsOf(part) : part));
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

function pairsOf(part: string): readonly string[] {
  const signs = Array.from(part);
  return signs.length === 1 ? signs : signs.slice(1).map((sign, index) => `${signs[index] ?? ''}${sign}`);
}

const ENDINGS = ['ations', 'ation', 'ators', 'ator', 'ating', 'ated', 'ates', 'ions', 'ion', 'ings', 'ing', 'ies', 'ied', 'ers', 'er', 'ors', 'or', 'ed', 'es', 'ate', 'ly', 's', 'y', 'e'];

/** A word without its ending: `calculate`, `calculator` and `calculations` become one. Crude, but the same on both sides. */
export function stem(word: string): string {
  const ending = ENDINGS.find((candidate) => word.endsWith(candidate) && word.length - candidate.length >= 3);
  const base = ending === undefined ? word : word.slice(0, -ending.length);
  return base.length > 3 && base.at(-1) === base.at(-2) ? base.slice(0, -1) : base;
}

/** Words that say nothing about what is wanted. */
const SMALL = new Set(
  ('a an the and or of in on at to for from by with into as is are was were be been am do does did can could would will shall should may might must me my mine ' +
    'i you your we us our it its this that these those there here what which who whom whose when where how why please tell give want need like let lets just now ' +
    'have has had so if then than also too very some any all no not yes ok use using used e g etc one thing things s t m re ll d ve').split(' '),
);

/** The stems of the words that mean something. */
export function stemsOf(text: string): readonly string[] {
  return wordsOf(text).filter((word) => !SMALL.has(word)).map(stem);
}

export function isSmall(word: string): boolean {
  return SMALL.has(word.toLowerCase());
}

const SYNONYMS = [
  'calculate compute calculator math maths arithmetic evaluate expression formula 计算',
  'weather forecast temperature rain sunny umbrella climate degrees hot cold warm 天气',
  'time clock hour late 几点 时间', 'date day calendar today', 'file document', 'folder directory', 'delete remove erase drop', 'create make new add',
  'find search look lookup query', 'send mail email message notify', 'read open show view display print', 'write save store', 'list enumerate',
  'translate translation 翻译', 'convert conversion exchange', 'buy order purchase', 'price cost rate', 'picture image photo', 'meeting appointment event schedule book reserve',
  'person people contact user', 'remind reminder remember', 'note memo', 'random roll dice', 'song music play', 'flight fly plane', 'sum total', 'distance far', 'money currency', 'summarize summary shorten',
  'km kilometer kilometre', 'mi mile', 'm meter metre', 'cm centimeter centimetre', 'ft foot feet', 'kg kilogram kilo', 'lb pound', 'g gram', 'c celsius', 'f fahrenheit', 'k kelvin', 'l liter litre',
  'eur euro', 'usd dollar', 'gbp sterling', 'jpy yen', 'cny yuan rmb', 'chf franc',
  'de german', 'en english', 'fr french', 'es spanish', 'it italian', 'zh chinese', 'ja japanese', 'pt portuguese',
];
const groupByStem = new Map<string, number>(SYNONYMS.flatMap((line, group) => line.split(' ').map((word) => [stem(word), group] as const)));

/** 1 for the same word, 0.7 for a word of about the same meaning, else 0. Both are stems. */
export function likeness(a: string, b: string): number {
  if (a === b) return 1;
  const group = groupByStem.get(a);
  return group !== undefined && group === groupByStem.get(b) ? 0.7 : 0;
}
