import { invalidOption } from '../shared/unavailable.ts';

/** Longest that leaves room for the names of our tables and indexes; PostgreSQL ends at 63 bytes. */
const MAX_LENGTH = 40;

/**
 * A name that goes into statements as it is.
 *
 * @throws AgentScopeError `config/invalid` for anything but ASCII letters, digits and `_`, not beginning with a digit.
 */
export function checkedName(option: string, name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name.length <= MAX_LENGTH) return name;
  throw invalidOption(option, `\`${option}\` is no name for tables. Use at most ${MAX_LENGTH} ASCII letters, digits and underscores, and no digit first.`);
}
