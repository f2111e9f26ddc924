/** A query, which is either a single statement or several statements without parameters. */
export interface PostgresQuery {
  /** The SQL, with numbered placeholders for the parameters. */
  readonly text: string;
  /** The parameter values, in the order of the placeholders' numbers. */
  values?: unknown[];
  /** The parsers for the values in the result. A value's Postgres type determines its parser. */
  readonly types?: {
    getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown;
  };
  /** How long the driver waits for a response, in milliseconds. */
  readonly query_timeout?: number;
}

/** The parts of a pooled connection that the storage uses. */
export interface PostgresPoolClient {
  /** The settings that the connection was opened with. The storage reads only the driver's response timeout. */
  readonly connectionParameters?: { readonly query_timeout?: unknown };
  /** Whether the driver sends statements without waiting for earlier results. */
  readonly pipeline?: boolean;
  /** Runs a query and resolves to the driver's result. */
  query(query: PostgresQuery): Promise<unknown>;
  /** Adds a listener for errors on the connection. Without a listener, such an error would crash the process. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Removes a listener that {@link on} added. */
  off(event: "error", listener: (error: Error) => void): unknown;
  /** Returns the connection to the pool, or closes it if `destroy` is true. */
  release(destroy?: boolean): void;
}

/**
 * The parts of a `pg` pool (version 8) that the storage uses. They are declared here so that hosts don't need the driver's types.
 */
export interface PostgresPool {
  /** The pool's settings: its maximum size, and its timeout for opening a connection. */
  readonly options?: {
    readonly max?: number | undefined;
    readonly connectionTimeoutMillis?: number | undefined;
  };
  /** Total number of connections, for metrics. Absent if the pool doesn't report it. */
  readonly totalCount?: number;
  /** Number of idle connections, for metrics. Absent if the pool doesn't report it. */
  readonly idleCount?: number;
  /** Number of callers waiting for a connection, for metrics. Absent if the pool doesn't report it. */
  readonly waitingCount?: number;
  /** Acquires a connection and passes it to the callback. */
  connect(
    callback: (error: Error | undefined, client: PostgresPoolClient | undefined, done: () => void) => void,
  ): void;
  /** Adds a listener for errors on the pool's idle connections. Without a listener, such an error would crash the process. */
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "acquire" | "remove", listener: (client: PostgresPoolClient) => void): unknown;
  /** Removes a listener that {@link on} added. */
  off(event: "error", listener: (error: Error) => void): unknown;
  off(event: "acquire" | "remove", listener: (client: PostgresPoolClient) => void): unknown;
}
