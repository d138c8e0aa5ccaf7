import { nearest } from '../nearest.ts';

/** A date and time as a person says it, with the zone and its offset: `Tuesday, 1 December 2026, 05:38:12 (Asia/Tokyo, GMT+9)`. */
export function clockText(now: Date, zone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { ...FIELDS, timeZone: zone });
  const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
  const { weekday, day, month, year, hour, minute, second, timeZoneName: offset } = parts;
  const name = format.resolvedOptions().timeZone;
  return `${weekday}, ${day} ${month} ${year}, ${hour}:${minute}:${second} (${name === 'UTC' ? name : `${name}, ${offset}`})`;
}

/** Asked for one by one and put together here: how a language joins them differs from one Node to the next. */
const FIELDS = {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'shortOffset',
} as const;

/** Why a text is no time zone, with the ones that may be meant; undefined where it is one. */
export function zoneProblem(zone: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return undefined;
  } catch {
    const near = zonesLike(zone);
    const hint = near.length > 0 ? `Near: ${near.join(', ')}.` : 'Use an IANA name such as Europe/Berlin or UTC.';
    return `There is no time zone ${JSON.stringify(zone.slice(0, 60))}. ${hint}`;
  }
}

/** Zones whose place is meant (`Tokyo`, `new york`), else those whose place or name looks alike (`Tokio`). */
function zonesLike(text: string): readonly string[] {
  const zones = Intl.supportedValuesOf('timeZone');
  const word = text.slice(0, 60).trim().toLowerCase().replaceAll(' ', '_');
  const place = placeOf(word);
  const holding = place.length < 3 ? [] : zones.filter((zone) => zone.toLowerCase().includes(place));
  if (holding.length > 0) return holding.slice(0, 3);
  const places = nearest(place, zones.map(placeOf), { count: 3 });
  return zones.filter((zone) => places.includes(placeOf(zone))).slice(0, 3);
}

function placeOf(zone: string): string {
  return zone.slice(zone.lastIndexOf('/') + 1);
}
