import type { PostgresSettings } from "./options.js";

export type Purpose = "snapshot" | "change" | "large change" | "migration";

/** Factor by which the statement timeout is longer in a large change. */
const LARGE = 6;

/** Maximum time for which a suspended process's transaction can keep its organization locked, in milliseconds. */
const IDLE = 30_000;

/** How long after the server's own timeout the driver gives up on a silent server, in milliseconds. */
const GRACE = 2_000;

/**
 * Planner settings for one transaction. Every query here has an index, and searching an array or a long text costs more than the
 * planner assumes.
 */
const planning = "set local enable_seqscan = off; set local jit = off";

const SNAPSHOT = `begin isolation level repeatable read, read only; ${planning}`;
// Not "read write", because a read-only server would reject that with a different error than it uses for writes.
const CHANGE = `begin isolation level read committed; ${planning}`;

/** The time limits configured for a connection, in milliseconds. 0 means no limit. */
export interface OwnTimeouts {
  readonly statement: number;
  readonly lock: number;
  readonly idle: number;
  /** Whether the driver is configured with a response timeout. */
  readonly hasOwnSilence: boolean;
}

/**
 * A query that reads the time limits in {@link OwnTimeouts}. Limits can be set for the server, the role, or the database, or in the
 * URL.
 */
export const selectTimeouts = `select ${[
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
    private readonly own: OwnTimeouts,
  ) {}

  /** Returns the statements that begin a transaction and set its time limits. */
  begin(purpose: Purpose): string {
    if (purpose === "migration")
      return `${CHANGE}; set local statement_timeout = 0; set local lock_timeout = 0`;
    const { own, settings } = this;
    const limits = [
      own.statement === 0 && `set local statement_timeout = ${this.buildStatement(purpose)}`,
      own.lock === 0 && `set local lock_timeout = ${settings.lockTimeoutMs}`,
      own.idle === 0 && `set local idle_in_transaction_session_timeout = ${IDLE}`,
    ].filter((limit) => limit !== false);
    return [purpose === "snapshot" ? SNAPSHOT : CHANGE, ...limits].join("; ");
  }

  /** Returns how long to wait for a response, in milliseconds, or 0 for no limit other than the driver's own. */
  silence(purpose: Purpose): number {
    return purpose === "migration" || this.own.hasOwnSilence ? 0 : this.buildStatement(purpose) + GRACE;
  }

  private buildStatement(purpose: Purpose): number {
    if (this.own.statement > 0) return this.own.statement;
    return this.settings.statementTimeoutMs * (purpose === "large change" ? LARGE : 1);
  }
}
