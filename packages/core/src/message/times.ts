import { isoTime } from '../internal/index.ts';

const UTC_MS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const PARTS = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * The time of an event in the form of a message, `yyyy-MM-dd HH:mm:ss.SSS` (WIRE §1.2): an offset is converted to UTC, a time
 * without zone is never shifted, the fraction is cut or padded. What is no time stays as it is; nothing is undefined.
 */
export function messageTime(createdAt: string | undefined): string | undefined {
  if (createdAt === undefined || createdAt === '') return undefined;
  if (UTC_MS.test(createdAt)) return `${createdAt.slice(0, 10)} ${createdAt.slice(11, 23)}`;
  const parts = PARTS.exec(createdAt);
  if (parts === null) return createdAt;
  const [, date = '', time = '', fraction = '', zone = ''] = parts;
  const ms = fraction.slice(0, 3).padEnd(3, '0');
  if (zone === '' || zone === 'Z') return `${date} ${time}.${ms}`;
  const utc = Date.parse(`${date}T${time}.${ms}${zone}`);
  return Number.isNaN(utc) ? createdAt : javaTime(utc);
}

/** Java's pattern `yyyy-MM-dd HH:mm:ss.SSS`, in UTC. */
export function javaTime(ms: number): string {
  return isoTime(ms).slice(0, 23).replace('T', ' ');
}

/**
 * A time in Python's form: the space becomes a `T`, the digits stay as they are. Python's times name no zone: a stated one is converted
 * to UTC first, a time without one is never shifted (WIRE §1.2).
 */
export function pythonTime(time: string): string {
  const parts = PARTS.exec(time);
  if (parts === null) return time;
  const [, date = '', clock = '', fraction = '', zone = ''] = parts;
  const digits = fraction === '' ? '' : `.${fraction}`;
  if (zone === '' || zone === 'Z') return `${date}T${clock}${digits}`;
  const utc = Date.parse(`${date}T${clock}${zone}`);
  return Number.isNaN(utc) ? time : `${isoTime(utc).slice(0, 19)}${digits}`;
}
