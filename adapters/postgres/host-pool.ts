/** One statement, or several without values. */
export interface PostgresQuery {
  readonly text: string;
  values?: unknown[];
  readonly types?: {
    getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown;
  };
  /** After how many milliseconds the driver gives up waiting for the answer. */
  readonly query_timeout?: number;
}

/** The part of a connection of a pool that storage uses. */
export interface PostgresPoolClient {
  readonly connectionParameters?: { readonly query_timeout?: unknown };
  readonly pipeline?: boolean;
  query(query: PostgresQuery): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
  release(destroy?: boolean): void;
}

/**
 * The part of a pool of the package `pg`, version 8, that is needed here. It is declared so that types of the driver need not be
 * installed, whichever a host has.
 */
export interface PostgresPool {
  readonly options?: {
    readonly max?: number | undefined;
    readonly connectionTimeoutMillis?: number | undefined;
  };
  /** The metrics show the counts, where the pool has them. */
  readonly totalCount?: number;
  readonly idleCount?: number;
  readonly waitingCount?: number;
  connect(
    callback: (error: Error | undefined, client: PostgresPoolClient | undefined, done: () => void) => void,
  ): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "acquire" | "remove", listener: (client: PostgresPoolClient) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
  off(event: "acquire" | "remove", listener: (client: PostgresPoolClient) => void): unknown;
}
