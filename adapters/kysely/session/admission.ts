import { unavailable } from "../../../src/errors.js";

/** Tracks running calls, so that closing can refuse later ones and wait for the rest. */
export class Admission {
  #isClosed = false;
  #underWay = 0;
  #emptied: () => void = () => undefined;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @throws {LoyaltyError} `storage_unavailable` after {@link close}. */
  assertOpen(): void {
    if (this.#isClosed) {
      throw unavailable("closed", new Error("the storage is closed"));
    }
  }

  /** @throws {LoyaltyError} `storage_unavailable` after {@link close}; else what the task throws. */
  async admit<T>(task: () => Promise<T>): Promise<T> {
    this.assertOpen();
    this.#underWay += 1;
    try {
      return await task();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#emptied();
    }
  }

  /** Refuses tasks from now on, and waits for those that came before. Call it once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#emptied = resolve;
    });
  }
}

/**
 * Refuses transactions after another release has migrated the tables that this process opened.
 *
 * A release reads and writes one version of the tables, and every migration adds a row with its version to `loyalty_migrations`.
 * Each transaction checks, inside itself, that the newest version is its own; otherwise it is refused as `storage_unavailable`. So
 * a migration shuts out all processes of other releases, whether or not they could have continued. No release has to know what
 * later ones change, or what earlier ones may still do, and the author of a migration has nothing to do for it.
 *
 * **SQLite.** The check comes after `begin immediate`, when no other connection can commit. `data_version` says, without reading a
 * page, whether another connection has committed since the last check; only then the table is read. Other connections, of threads
 * and of hosts, read it each time, while they hold the write lock.
 *
 * **Postgres.** The check is part of the message that begins the transaction. In a host's transaction it is part of the statement
 * that locks the organization's row, or a separate statement before a change without that lock. It reads the view
 * `loyalty_version`, and so holds ACCESS SHARE on the view until the transaction ends. The first statement of a migration replaces
 * the view, which takes ACCESS EXCLUSIVE. So it waits for every admitted transaction, and transactions that begin in the meantime
 * wait for its end and then see its version. The version is also in the text of the view: definitions are not part of a snapshot,
 * so a transaction above `read committed` that began earlier sees it too.
 *
 * **Reads.** A snapshot checks as it begins, at no extra cost; it may go on while a migration commits. A single query checks only
 * after the fence is known to be broken, or when it failed for a missing table or column.
 */
export class Fence {
  #found: number | null;

  /** @param version the only one of the tables that this process knows. */
  constructor(private readonly version: number) {
    this.#found = version;
  }

  /** True when the last look found another version. */
  get isBroken(): boolean {
    return this.#found !== this.version;
  }

  /**
   * Notes what a look has found.
   * @param version `null` if there are no tables.
   * @throws {LoyaltyError} `storage_unavailable` if it is another version.
   */
  assertCurrent(version: number | null): void {
    this.#found = version;
    if (!this.isBroken) return;
    const found = version === null ? "no tables" : `version ${version}`;
    const isMigrated = version !== null && version > this.version;
    const remedy = isMigrated
      ? "another release has migrated them, run that one"
      : "another database has taken its place, start this process again";
    const cause = new Error(
      `the tables have ${found}, and this process works with version ${this.version}: ${remedy}`,
    );
    throw unavailable(isMigrated ? "migrated" : "replaced", cause);
  }
}
