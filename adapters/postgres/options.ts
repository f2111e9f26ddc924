/** Limits how long work may take, unless the server, the role or the URL says otherwise for its connections. */
export interface PostgresOptions {
  /** The most connections of the pool of a URL. Default: 10. */
  readonly poolSize?: number;
  /** The `application_name` of the connections of a URL, unless the URL has one. Default: `loyalty-kit`. */
  readonly applicationName?: string;
  /** The time limit for getting a connection, in milliseconds. Default: 5,000. A host's pool has its own. */
  readonly connectTimeoutMs?: number;
  /** The time limit of a statement, in milliseconds. Default: 10,000. Statements of large changes may take six times as long. */
  readonly statementTimeoutMs?: number;
  /** The time limit for a lock that another process holds, in milliseconds. Default: 5,000. */
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
export function validateOptions(options: PostgresOptions = {}): PostgresSettings {
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
