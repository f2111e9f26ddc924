/** A query, which consists of a single statement, or of several statements without parameters. */
export interface PostgresQuery {
  /** The SQL text. */
  readonly text: string;
  /** The parameters. */
  values?: unknown[];
  /** The parsers for values in the result. */
  readonly types?: {
    getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown;
  };
  /** How long the driver waits for a response, in milliseconds. */
  readonly query_timeout?: number;
}

/** The parts of a pooled connection that the storage uses. */
export interface PostgresPoolClient {
  /** The connection's settings. */
  readonly connectionParameters?: { readonly query_timeout?: unknown };
  /** Whether the driver sends statements without waiting for earlier results. */
  readonly pipeline?: boolean;
  /** Runs a statement. */
  query(query: PostgresQuery): Promise<unknown>;
  /** Adds a listener. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Removes a listener. */
  off(event: "error", listener: (error: Error) => void): unknown;
  /** Returns the connection to the pool, or closes it if `destroy` is true. */
  release(destroy?: boolean): void;
}

/**
 * The parts of a `pg` pool (version 8) that the storage uses. They are declared here so that hosts don't need the driver's types.
 */
export interface PostgresPool {
  /** The pool's settings. */
  readonly options?: {
    readonly max?: number | undefined;
    readonly connectionTimeoutMillis?: number | undefined;
  };
  /** Total number of connections, for metrics. Absent if the pool doesn't provide it, like the other counts. */
  readonly totalCount?: number;
  /** Number of connections that no one is using. */
  readonly idleCount?: number;
  /** Number of callers that wait for a connection. */
  readonly waitingCount?: number;
  /** Takes a connection from the pool. */
  connect(
    callback: (error: Error | undefined, client: PostgresPoolClient | undefined, done: () => void) => void,
  ): void;
  /** Adds a listener. */
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "acquire" | "remove", listener: (client: PostgresPoolClient) => void): unknown;
  /** Removes a listener. */
  off(event: "error", listener: (error: Error) => void): unknown;
  off(event: "acquire" | "remove", listener: (client: PostgresPoolClient) => void): unknown;
}
