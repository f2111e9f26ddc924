import type { PostgresSettings } from "./options.js";

export type Purpose = "snapshot" | "change" | "large change" | "migration";

/** Factor by which the statement timeout is longer in a large change. */
const LARGE_CHANGE_FACTOR = 6;

/** Maximum time for which a suspended process's transaction can keep its organization locked, in milliseconds. */
const IDLE_TIMEOUT_MS = 30_000;

/** How long after the server's own timeout the driver gives up on a silent server, in milliseconds. */
const GRACE_PERIOD_MS = 2_000;

/**
 * Planner settings for one transaction. Every query here has an index, and searching an array or a long text costs more than the
 * planner assumes.
 */
const plannerSettings = "set local enable_seqscan = off; set local jit = off";

const BEGIN_SNAPSHOT = `begin isolation level repeatable read, read only; ${plannerSettings}`;
// Not "read write", because a read-only server would reject that with a different error than it uses for writes.
const BEGIN_CHANGE = `begin isolation level read committed; ${plannerSettings}`;

/** The time limits configured for a connection, in milliseconds. 0 means no limit. */
export interface ConfiguredTimeouts {
  readonly statement: number;
  readonly lock: number;
  readonly idle: number;
  /** Whether the driver is configured with a response timeout. */
  readonly hasResponseTimeout: boolean;
}

/**
 * A query that reads the time limits in {@link ConfiguredTimeouts}. Limits can be set for the server, the role, or the database, or in the
 * URL.
 */
export const timeoutsQuery = `select ${[
  "statement_timeout",
  "lock_timeout",
  "idle_in_transaction_session_timeout",
]
  .map((name) => `(extract(epoch from current_setting('${name}')::interval) * 1000)::int as ${name}`)
  .join(", ")}`;

/**
 * Limits how long statements on a connection can run. The limits are set for each transaction, because a pooler in transaction mode
 * would share the connection's settings with other clients.
 */
export class Timeouts {
  constructor(
    private readonly settings: PostgresSettings,
    private readonly configured: ConfiguredTimeouts,
  ) {}

  /** Returns the statements that begin a transaction and set its time limits. */
  buildBegin(purpose: Purpose): string {
    if (purpose === "migration")
      return `${BEGIN_CHANGE}; set local statement_timeout = 0; set local lock_timeout = 0`;
    const { configured, settings } = this;
    const limits = [
      configured.statement === 0 && `set local statement_timeout = ${this.getStatementTimeoutMs(purpose)}`,
      configured.lock === 0 && `set local lock_timeout = ${settings.lockTimeoutMs}`,
      configured.idle === 0 && `set local idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`,
    ].filter((limit) => limit !== false);
    return [purpose === "snapshot" ? BEGIN_SNAPSHOT : BEGIN_CHANGE, ...limits].join("; ");
  }

  /** Returns how long to wait for a response, in milliseconds, or 0 for no limit other than the driver's own. */
  getResponseTimeoutMs(purpose: Purpose): number {
    return purpose === "migration" || this.configured.hasResponseTimeout
      ? 0
      : this.getStatementTimeoutMs(purpose) + GRACE_PERIOD_MS;
  }

  private getStatementTimeoutMs(purpose: Purpose): number {
    if (this.configured.statement > 0) return this.configured.statement;
    return this.settings.statementTimeoutMs * (purpose === "large change" ? LARGE_CHANGE_FACTOR : 1);
  }
}
