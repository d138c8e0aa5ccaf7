import { likeness, stem } from './words.ts';

/** Text beyond this is not searched for wishes: a rule that reads is no model that understands. */
export const MAX_CHARACTERS = 6_000;

/**
 * The single things a text asks for: sentences, and parts joined by "and" or a comma where the second part begins with a question
 * word or a verb (`verbs`: stems of the words tools are named by). Quoted text and addresses are never parted.
 */
export function wishesOf(text: string, verbs: ReadonlySet<string>): readonly string[] {
  const read = text.slice(0, MAX_CHARACTERS).toWellFormed();
  const masked = read.replace(/\bhttps?:\/\/\S+[^\s.,;:!?)]|"[^"\n]*"|“[^”\n]*”|`[^`\n]*`|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])/gu, (quoted) => '\u0001'.repeat(quoted.length));
  const wishes: string[] = [];
  let start = 0;
  for (const { index, 0: { length }, 1: joint, 2: next } of masked.matchAll(JOINTS)) {
    if (joint !== undefined && !opensWish(next ?? '', verbs)) continue;
    wishes.push(read.slice(start, index));
    start = index + length;
  }
  wishes.push(read.slice(start));
  return wishes.map((wish) => wish.trim()).filter((wish) => /[\p{L}\p{N}]/u.test(wish));
}

/** Ends of sentences, or a joint with the word after it (only looked at). */
const JOINTS = /[?!;？！；。]+|\n+|\.(?=\s|$)|(\s*,?\s+(?:and then|and also|and|then|also)\s+(?:please\s+)?|\s*,\s+)(?=([\p{L}']+))/giu;
const OPENERS = new Set(
  ("what what's whats who whose when where which how is are does do can could will would please tell show give get find list read write open make create add delete remove send " +
    'search look calculate compute convert translate check set start stop book order buy play remind roll run summarize count sort save print fetch schedule cancel').split(' '),
);

function opensWish(word: string, verbs: ReadonlySet<string>): boolean {
  const lower = word.toLowerCase();
  if (OPENERS.has(lower)) return true;
  const own = stem(lower);
  return verbs.has(own) || [...verbs].some((verb) => likeness(verb, own) > 0);
}
