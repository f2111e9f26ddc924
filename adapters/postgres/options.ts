/** How long what goes on may take, unless the server, the role or the URL says otherwise for its connections. */
export interface PostgresOptions {
  /** How many connections the pool of a URL has at most; 10 unless given. */
  readonly poolSize?: number;
  /** What the server is told the connections of a URL are, unless that tells it itself; `loyalty-kit` unless given. */
  readonly applicationName?: string;
  /** For how long a connection is waited for, in milliseconds; 5,000 unless given. A host's pool has its own. */
  readonly connectTimeoutMs?: number;
  /** How long a statement may take, in milliseconds; 10,000 unless given. Those of large changes may take six times as long. */
  readonly statementTimeoutMs?: number;
  /** How long a statement may wait for a lock that another process holds, in milliseconds; 5,000 unless given. */
  readonly lockTimeoutMs?: number;
}

/** The options, complete. */
export type PostgresSettings = Required<PostgresOptions>;

const defaults: PostgresSettings = {
  poolSize: 10,
  applicationName: "loyalty-kit",
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
  lockTimeoutMs: 5_000,
};

/** The greatest number that the server takes. */
const MOST = 2_147_483_647;

/** @throws {RangeError} for a number that is no positive integer. */
export function settingsOf(options: PostgresOptions = {}): PostgresSettings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const settings: PostgresSettings = { ...defaults, ...Object.fromEntries(given) };
  const { applicationName: _, ...numbers } = settings;
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < 1 || value > MOST) {
      throw new RangeError(`${name} must be a positive integer`);
    }
  }
  return settings;
}
