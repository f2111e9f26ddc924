import { unavailable } from "../../../src/errors.js";

/** Counts what is under way, so that closing can refuse what comes later and wait for the rest. */
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

  /** Refuses tasks from now on, and waits for those that came before. To be called once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#emptied = resolve;
    });
  }
}

/**
 * Keeps a process away from tables that another release has changed since the process opened them.
 *
 * A release reads and writes one version of the tables, and every migration adds a row with its version to
 * `loyalty_migrations`. Whoever begins a transaction looks whether the newest version is its own, inside that transaction.
 * When it is another one, the transaction is refused as `storage_unavailable`. So a migration shuts out all processes of other
 * releases, whether or not they could have gone on: no release has to know what later ones change, and none has to say what
 * former ones may still do. Whoever makes a migration has nothing to do for it.
 *
 * **SQLite.** The look comes behind `begin immediate`, when nobody else can commit any more. `data_version` tells, without a
 * page being read, whether another connection has committed since the last look; only then the table is read. Other
 * connections, of threads and of hosts, read it each time: they hold the lock for writing by then.
 *
 * **Postgres.** The look is a part of the message that begins the transaction. In a transaction of a host it is a part of the
 * statement that locks the organization's row, or a statement of its own before a change that locks none. It reads
 * the view `loyalty_version`, and so holds ACCESS SHARE on that view until the transaction ends. The first statement of a
 * migration replaces the view, for which it holds ACCESS EXCLUSIVE. So it waits for every transaction that was let in, and
 * those that begin meanwhile wait for its end and then see its version. The version also stands in the text of the view:
 * definitions are not part of a snapshot, so a transaction above `read committed` that began earlier sees it too.
 *
 * **Reads.** A snapshot looks as it begins, for nothing more than it takes anyway; it may go on while a migration commits. A
 * query by itself looks only once the fence is known to be broken, or when it failed for want of a table or a column.
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
   * @param version `null` where there are no tables.
   * @throws {LoyaltyError} `storage_unavailable` when it is another version.
   */
  assertCurrent(version: number | null): void {
    this.#found = version;
    if (!this.isBroken) return;
    const found = version === null ? "no version any more" : `version ${version}`;
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
