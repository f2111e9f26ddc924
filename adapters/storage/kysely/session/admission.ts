import { unavailable } from "../../../../src/base/errors.js";

/** Tracks running calls. When the storage closes, new calls are rejected, but running calls can finish. */
export class Admission {
  #isClosed = false;
  #runningCount = 0;
  #onIdle: () => void = () => undefined;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Checks that {@link close} hasn't been called.
   * @throws {LoyaltyError} `storage_unavailable` if {@link close} has been called.
   */
  assertOpen(): void {
    if (this.#isClosed) {
      throw unavailable("closed", new Error("the storage is closed"));
    }
  }

  /**
   * Runs a task and tracks it until it settles.
   * @throws {LoyaltyError} `storage_unavailable` if {@link close} has been called.
   * @throws the task's error, if the task fails.
   */
  async track<T>(task: () => Promise<T>): Promise<T> {
    this.assertOpen();
    this.#runningCount += 1;
    try {
      return await task();
    } finally {
      this.#runningCount -= 1;
      if (this.#runningCount === 0) this.#onIdle();
    }
  }

  /** Rejects new tasks from now on, and resolves when all running tasks have settled. Call this only once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#runningCount === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }
}

/**
 * Rejects transactions after another release has migrated the tables that this process opened.
 *
 * A release reads and writes exactly one version of the tables, and every migration adds a row with its version to
 * `loyalty_migrations`. Each transaction checks that the newest version is the one it requires, and fails with
 * `storage_unavailable` otherwise. A migration therefore locks out all processes that run other releases, whether or not they could
 * have continued. No release needs to account for what later releases change or what earlier releases might still do, and the
 * author of a migration doesn't need to do anything for this.
 *
 * **SQLite.** The check comes after `begin immediate`, when no other connection can commit. `data_version` shows, without reading a
 * page, whether another connection has committed since the last check. The table is read only if one has. Connections that belong
 * to other threads or to hosts read the table every time, while they hold the write lock.
 *
 * **Postgres.** The check is part of the message that begins the transaction. In a host's transaction, it is part of the statement
 * that locks the organization's row. If a change doesn't lock that row, the check is a separate statement before the change. The
 * check reads the view `loyalty_version`, and so holds ACCESS SHARE on the view until the transaction ends. A migration's first
 * statement replaces the view, which takes ACCESS EXCLUSIVE. The migration therefore waits for every admitted transaction.
 * Transactions that begin in the meantime wait for the migration to end and then see the migration's version. The version is also
 * part of the view's definition. Because definitions are not part of a snapshot, the new version is visible even to a transaction
 * that began earlier with stricter isolation than `read committed`.
 *
 * **Reads.** A snapshot checks the version when it begins, at no extra cost, and can continue while a migration commits. A single
 * query checks the version only if an earlier check has found another version, or after the query fails because a table or column
 * is missing.
 */
export class Fence {
  #foundVersion: number | null;

  /** @param version the schema version that this process requires. */
  constructor(private readonly version: number) {
    this.#foundVersion = version;
  }

  /** Whether the last check found a schema version that this process can't use. */
  get isBroken(): boolean {
    return this.#foundVersion !== this.version;
  }

  /**
   * Records the version that a check found, and verifies that this process can use it.
   * @param version the schema version, or `null` if there are no tables.
   * @throws {LoyaltyError} `storage_unavailable` if the version isn't the one that this process requires.
   */
  assertCurrent(version: number | null): void {
    this.#foundVersion = version;
    if (!this.isBroken) return;
    const actualVersion = version === null ? "no tables" : `version ${version}`;
    const isMigrated = version !== null && version > this.version;
    const remedy = isMigrated
      ? "another release migrated them; run that release"
      : "the database was replaced; restart this process";
    const cause = new Error(
      `the database has ${actualVersion}, but this process needs version ${this.version}: ${remedy}`,
    );
    throw unavailable(isMigrated ? "migrated" : "replaced", cause);
  }
}
