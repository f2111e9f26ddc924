import type { PostgresSettings } from "./options.js";

export type Purpose = "snapshot" | "change" | "large change" | "migration";

/** How many times longer the statements of a large change may take. */
const LARGE = 6;

/** The longest time that a transaction of a stopped process holds its organization, in milliseconds. */
const IDLE = 30_000;

/** How much later than the server the driver gives up, in milliseconds: then the server is silent. */
const GRACE = 2_000;

/**
 * Sets the planner for this transaction alone. Every query here has an index, and to search an array or a long text costs
 * more than the planner thinks.
 */
const planning = "set local enable_seqscan = off; set local jit = off";

const SNAPSHOT = `begin isolation level repeatable read, read only; ${planning}`;
// Not "read write": a server that only reads would refuse that with another error than it refuses a write.
const CHANGE = `begin isolation level read committed; ${planning}`;

/** The time limits of a connection, in milliseconds; 0 for none. */
export interface OwnTimeouts {
  readonly statement: number;
  readonly lock: number;
  readonly idle: number;
  /** True when the driver has a time limit of its own for responses. */
  readonly hasOwnSilence: boolean;
}

/** Reads {@link OwnTimeouts}, as the server, the role, the database or the URL has it. */
export const selectTimeouts = `select ${[
  "statement_timeout",
  "lock_timeout",
  "idle_in_transaction_session_timeout",
]
  .map((name) => `(extract(epoch from current_setting('${name}')::interval) * 1000)::int as ${name}`)
  .join(", ")}`;

/**
 * Limits the time that statements on a connection may take. The limits are set for each transaction: a pooler in
 * transaction mode gives the connection's settings to others.
 */
export class Timeouts {
  constructor(
    private readonly settings: PostgresSettings,
    private readonly own: OwnTimeouts,
  ) {}

  /** The statements that begin a transaction. */
  begin(purpose: Purpose): string {
    if (purpose === "migration")
      return `${CHANGE}; set local statement_timeout = 0; set local lock_timeout = 0`;
    const { own, settings } = this;
    const limits = [
      own.statement === 0 && `set local statement_timeout = ${this.statement(purpose)}`,
      own.lock === 0 && `set local lock_timeout = ${settings.lockTimeoutMs}`,
      own.idle === 0 && `set local idle_in_transaction_session_timeout = ${IDLE}`,
    ].filter((limit) => limit !== false);
    return [purpose === "snapshot" ? SNAPSHOT : CHANGE, ...limits].join("; ");
  }

  /** Returns the time after which the driver gives up on a response, in milliseconds; 0 leaves that to the driver. */
  silence(purpose: Purpose): number {
    return purpose === "migration" || this.own.hasOwnSilence ? 0 : this.statement(purpose) + GRACE;
  }

  private statement(purpose: Purpose): number {
    if (this.own.statement > 0) return this.own.statement;
    return this.settings.statementTimeoutMs * (purpose === "large change" ? LARGE : 1);
  }
}
