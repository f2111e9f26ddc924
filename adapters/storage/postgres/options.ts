/** Connection limits and timeouts. Timeouts configured on the server, for the role, or in the URL take precedence. */
export interface PostgresOptions {
  /** Maximum number of connections in a pool opened for a URL. Default: 10. */
  readonly poolSize?: number;
  /** The `application_name` of connections opened for a URL, unless the URL specifies its own. Default: `loyalty-kit`. */
  readonly applicationName?: string;
  /** Timeout for acquiring a connection, in milliseconds. A host's own pool uses its own timeout. Default: 5,000. */
  readonly connectTimeoutMs?: number;
  /** Timeout for a statement, in milliseconds. For large changes, the timeout is six times as long. Default: 10,000. */
  readonly statementTimeoutMs?: number;
  /** Timeout for acquiring a lock in the database, in milliseconds. Default: 5,000. */
  readonly lockTimeoutMs?: number;
}

/** {@link PostgresOptions} with all defaults filled in. */
export type PostgresSettings = Required<PostgresOptions>;

const defaults: PostgresSettings = {
  poolSize: 10,
  applicationName: "loyalty-kit",
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
  lockTimeoutMs: 5_000,
};

/** Largest number that the server accepts. */
const MAX_SETTING = 2_147_483_647;

/**
 * Validates the options and fills in the defaults.
 * @throws {RangeError} if a numeric option is not a positive integer.
 */
export function validateOptions(options: PostgresOptions = {}): PostgresSettings {
  const definedOptions = Object.entries(options).filter(([, value]) => value !== undefined);
  const settings: PostgresSettings = { ...defaults, ...Object.fromEntries(definedOptions) };
  const { applicationName: _, ...numbers } = settings;
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < 1 || value > MAX_SETTING) {
      throw new RangeError(`${name} must be a positive integer`);
    }
  }
  return settings;
}
