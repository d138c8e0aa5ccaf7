/** One statement; `?1`, `?2`, … stand for the values. */
export interface Query {
  readonly sql: string;
  readonly values?: readonly SqlValue[];
}
export type SqlValue = string | number | null;
export type Row = Readonly<Record<string, unknown>>;

/**
 * Some statements in order, and what comes of them. A generator, so that the same text serves a database that is asked at once
 * (SQLite, where nothing of this process may run in the middle of a transaction) and one across a network.
 */
export type Work<T> = Generator<Query, T, readonly Row[]>;

/** What differs between databases. */
export interface Dialect {
  /** Name of one of our tables as it stands in a statement. */
  table(name: TableName): string;
  /** The same without quotes and schema: what names of indexes begin with. */
  plain(name: TableName): string;
  /** Gives a row when the table is there. */
  exists(name: TableName): string;
  /** Keeps two processes from making the tables at once; until the transaction ends. `''`: any transaction does. */
  readonly migrationLock: string;
  /** Milliseconds since the epoch by the database's clock. */
  readonly now: string;
  /** At the end of a SELECT: nobody else changes the row until the transaction ends. */
  readonly lock: string;
  /** Column types: a growing key that is never used twice, a whole number, a text sorted by its bytes. */
  readonly serial: string;
  readonly integer: string;
  readonly text: string;
  /** Rows one INSERT takes. */
  readonly rowsPerInsert: number;
}
export type TableName = 'schema' | 'sessions' | 'entries' | 'named_values' | 'inbox';

export interface SqlDriver {
  /** `sqlite`, `postgres`: in messages. */
  readonly store: string;
  readonly dialect: Dialect;
  /** In one transaction: all or nothing. An error of the work undoes it and is thrown as it is. */
  transact<T>(work: () => Work<T>): Promise<T>;
  /** Statements that only look, each for itself. */
  look<T>(work: () => Work<T>): Promise<T>;
  close(): Promise<void>;
}

/** What an SQL database says a number is: PostgreSQL's driver gives big ones as text. */
export function numberOf(value: unknown): number {
  return Number(value ?? 0);
}
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
