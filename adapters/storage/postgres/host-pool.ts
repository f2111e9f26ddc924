/** A single statement, or several statements without parameters. */
export interface PostgresQuery {
  /** The SQL, with numbered placeholders for the parameters. */
  readonly text: string;
  /** The parameter values, in placeholder order. */
  values?: unknown[];
  /** Selects the parser for each result value by its Postgres type. */
  readonly types?: {
    getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown;
  };
  /** How long the driver waits for a response, in milliseconds. */
  readonly query_timeout?: number;
}

/** The subset of a pooled `pg` client that the storage adapter uses. */
export interface PostgresPoolClient {
  /** The settings with which the connection was opened. Only the driver's response timeout is used. */
  readonly connectionParameters?: { readonly query_timeout?: unknown };
  /** Whether the driver sends statements without waiting for the results of earlier ones. */
  readonly pipeline?: boolean;
  /** Runs a query and resolves to the driver's result. */
  query(query: PostgresQuery): Promise<unknown>;
  /** Adds a listener for errors on the connection. Without a listener, such an error would crash the process. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Removes a listener that was added with {@link on}. */
  off(event: "error", listener: (error: Error) => void): unknown;
  /** Returns the connection to the pool, or closes it if `destroy` is true. */
  release(destroy?: boolean): void;
}

/**
 * The subset of a `pg` pool (version 8) that the storage adapter uses, declared here so that hosts don't need the driver's types.
 */
export interface PostgresPool {
  /** The pool's maximum size and its timeout for opening a connection. */
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
  /** Removes a listener that was added with {@link on}. */
  off(event: "error", listener: (error: Error) => void): unknown;
  off(event: "acquire" | "remove", listener: (client: PostgresPoolClient) => void): unknown;
}
