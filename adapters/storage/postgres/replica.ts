import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { runStep, type Step } from "../../../src/base/concurrency/step.js";
import { unavailable } from "../../../src/base/errors.js";
import type { SnapshotOptions } from "../../../src/storage/storage-adapter.js";
import type { ReadSession } from "../kysely/session/session.js";
import { parsePosition } from "./commit-positions.js";
import type { PostgresDatabase } from "./database.js";
import { postgresDialect } from "./dialect.js";

/** A query that returns a server's log position: how far a primary has written the log, or how far a replica has replayed it. */
export const positionQuery = sql<{ position: string | null }>`
  select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end)::text
  as position`.compile(postgresDialect().db);

/** How long a read waits for a lagging replica, and the pause between checks, in milliseconds. */
const PATIENCE_MS = 100;
const PAUSE_MS = 5;

const SILENCE_MS = 1_000;

const DOWN_MS = 5_000;

/** A read replica of the primary server, and whether it is currently usable. */
export class Replica {
  /** The newest log position that the replica is known to have reached. */
  #position = 0n;
  #downUntil = Number.NEGATIVE_INFINITY;

  constructor(readonly database: PostgresDatabase) {}

  /** Whether the replica can be used. `false` for five seconds after {@link markDown}. */
  get isUp(): boolean {
    return performance.now() >= this.#downUntil;
  }

  /** Marks the replica as unusable for five seconds. Call this after a failure. */
  markDown(): void {
    this.#downUntil = performance.now() + DOWN_MS;
  }

  /**
   * Waits up to 100 ms for the replica to reach a position.
   * @returns whether the replica has reached the position.
   * @throws any query error, or `storage_unavailable` if the replica doesn't respond.
   */
  async waitForPosition(position: bigint): Promise<boolean> {
    if (this.#position >= position) return true;
    const ending = new AbortController();
    const silence = sleep(SILENCE_MS, null, ending);
    const asked = this.#asked(position);
    // The promise that loses the race may still reject.
    silence.catch(() => undefined);
    asked.catch(() => undefined);
    const reached = await Promise.race([asked, silence]).finally(() => ending.abort());
    if (reached === null) throw unavailable("unreachable");
    return reached;
  }

  async #asked(position: bigint): Promise<boolean> {
    const end = performance.now() + PATIENCE_MS;
    while (this.#position < position) {
      const [row] = await runStep(this.database.session.all(positionQuery));
      // The position is null until the replica has replayed its first record.
      if (row?.position) this.#position = parsePosition(row.position);
      if (this.#position >= position) break;
      if (performance.now() > end) return false;
      await sleep(PAUSE_MS);
    }
    return true;
  }

  snapshot<T>(work: (session: ReadSession) => Step<T>, options: SnapshotOptions): Promise<T> {
    return this.database.snapshot(work, options);
  }
}
