/** A place or time zone named in a text. `zone` is an IANA name (tz database); `value` is the place as written. */
export interface FoundPlace {
  readonly value: string;
  readonly zone: string;
  readonly start: number;
  readonly end: number;
}

/** Places whose zone is known, from left to right. A lower-case name counts after a preposition ("in tokyo") only. */
export function findPlaces(text: string): readonly FoundPlace[] {
  return [...findIanaNames(text), ...findNames(text)].toSorted((a, b) => a.start - b.start);
}

function findIanaNames(text: string): readonly FoundPlace[] {
  return Array.from(text.matchAll(/(?<![\w/])[A-Za-z]+(?:\/[A-Za-z0-9_+-]+){1,2}(?![\w/])|\b(?:UTC|GMT)\b/g), (match) => {
    const zone = knownZones().get(match[0].toLowerCase());
    return zone === undefined ? [] : [{ value: match[0], zone, start: match.index, end: match.index + match[0].length }];
  }).flat();
}

function findNames(text: string): readonly FoundPlace[] {
  const words = Array.from(text.matchAll(/[\p{L}\p{M}'.’-]*[\p{L}\p{M}]/gu), (match) => ({ text: match[0], start: match.index, end: match.index + match[0].length }));
  const found: FoundPlace[] = [];
  for (let index = 0; index < words.length; index++) {
    for (let count = Math.min(3, words.length - index); count > 0; count--) {
      const [first, last] = [words[index], words[index + count - 1]];
      if (first === undefined || last === undefined) continue;
      const value = text.slice(first.start, last.end);
      const zone = placeZones().get(value.toLowerCase().replaceAll(/\s+/g, ' '));
      const likely = /^\P{Ll}/u.test(value) || PREPOSITION.test(text.slice(Math.max(0, first.start - 8), first.start));
      if (zone === undefined || !likely) continue;
      found.push({ value, zone, start: first.start, end: last.end });
      index += count - 1;
      break;
    }
  }
  return [...found, ...findUnspaced(text)];
}

const PREPOSITION = /\b(?:in|for|at|of|from|to|and)\s+$/i;

function findUnspaced(text: string): readonly FoundPlace[] {
  return UNSPACED.flatMap(([value, zone]) => {
    const start = text.indexOf(value);
    return start < 0 ? [] : [{ value, zone, start, end: start + value.length }];
  });
}

const UNSPACED: readonly (readonly [string, string])[] = [
  ['东京', 'Asia/Tokyo'], ['北京', 'Asia/Shanghai'], ['上海', 'Asia/Shanghai'], ['纽约', 'America/New_York'], ['伦敦', 'Europe/London'], ['巴黎', 'Europe/Paris'], ['柏林', 'Europe/Berlin'], ['東京', 'Asia/Tokyo'],
];

/** Cities and countries the tz database has no entry of their own for. */
const MORE: Readonly<Record<string, string>> = {
  'America/New_York': 'new york city, nyc, washington, boston, miami, philadelphia, atlanta',
  'America/Los_Angeles': 'san francisco, seattle, san diego, las vegas, california, silicon valley',
  'America/Chicago': 'houston, dallas, austin, texas',
  'America/Toronto': 'montreal, ottawa',
  'America/Sao_Paulo': 'rio de janeiro, rio, brazil, são paulo',
  'Asia/Shanghai': 'beijing, shenzhen, guangzhou, hangzhou, chengdu, china',
  'Asia/Tokyo': 'osaka, kyoto, japan',
  'Asia/Seoul': 'korea, south korea, busan',
  'Asia/Kolkata': 'mumbai, delhi, new delhi, bangalore, bengaluru, chennai, india, kolkata',
  'Asia/Ho_Chi_Minh': 'saigon, hanoi, vietnam, ho chi minh city',
  'Australia/Sydney': 'canberra',
  'Europe/Berlin': 'munich, münchen, hamburg, frankfurt, cologne, köln, germany, leipzig, dresden, stuttgart',
  'Europe/London': 'england, uk, manchester, edinburgh, oxford, cambridge',
  'Europe/Paris': 'france, lyon, marseille, nice',
  'Europe/Madrid': 'barcelona, spain, seville, valencia',
  'Europe/Rome': 'milan, italy, naples, venice, florence, turin',
  'Europe/Zurich': 'geneva, basel, bern, switzerland, zürich',
  'Europe/Vienna': 'austria, salzburg, wien',
  'Europe/Amsterdam': 'netherlands, rotterdam, the hague',
  'Europe/Brussels': 'belgium, antwerp',
  'Europe/Kyiv': 'kyiv, kiev, ukraine',
  'Europe/Moscow': 'russia, st. petersburg, saint petersburg',
  'Africa/Cairo': 'egypt',
  'Asia/Dubai': 'abu dhabi',
};
/** Entries of the tz database that are words of everyday speech. */
const NO_PLACES = new Set(['center', 'easter', 'troll', 'central', 'eastern', 'pacific', 'atlantic', 'mountain', 'north', 'south', 'west', 'east', 'general', 'reunion', 'nome', 'creston', 'current']);

let zones: ReadonlyMap<string, string> | undefined;
let places: ReadonlyMap<string, string> | undefined;

function knownZones(): ReadonlyMap<string, string> {
  zones ??= new Map([...Intl.supportedValuesOf('timeZone'), ...Object.keys(MORE), 'UTC'].map((zone) => [zone.toLowerCase(), zone] as const)).set('gmt', 'UTC');
  return zones;
}

function placeZones(): ReadonlyMap<string, string> {
  if (places !== undefined) return places;
  const names = new Map<string, string>();
  for (const zone of knownZones().values()) {
    const name = zone.split('/').at(-1)?.toLowerCase().replaceAll('_', ' ') ?? '';
    if (zone.includes('/') && !NO_PLACES.has(name)) names.set(name, zone);
  }
  for (const [zone, list] of Object.entries(MORE)) for (const name of list.split(', ')) names.set(name, zone);
  places = names;
  return places;
}
