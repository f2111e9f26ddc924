import { runStep, type Step } from "../../../src/base/concurrency/step.js";
import { isLoyaltyError } from "../../../src/base/errors.js";
import type {
  ManagedTransaction,
  OpenTransaction,
  SnapshotOptions,
  TransactionOptions,
} from "../../../src/storage/storage-adapter.js";
import type { ReadSession, Session, SharedDatabase, SqlDatabase } from "../kysely/session/session.js";
import type { CommitPositions } from "./commit-positions.js";
import type { PostgresDatabase } from "./database.js";
import type { ManagedPgClient } from "./managed-client.js";
import { positionQuery, type Replica } from "./replica.js";

/**
 * A primary database, with replicas for reads that can return slightly stale data. A read uses a replica only if the replica has
 * caught up with this process's commits for the organization.
 */
export class ReplicatedDatabase implements SharedDatabase<ManagedPgClient> {
  readonly sync = null;
  readonly session: ReadSession;
  #turn = 0;

  constructor(
    private readonly primary: PostgresDatabase,
    private readonly replicas: readonly Replica[],
    private readonly positions: CommitPositions,
  ) {
    this.session = primary.session;
  }

  sessionOf(organizationId: string | undefined): ReadSession {
    return this.primary.sessionOf(organizationId);
  }

  async snapshot<T>(work: (session: ReadSession) => Step<T>, options: SnapshotOptions = {}): Promise<T> {
    const replica = options.mayLagFor === undefined ? undefined : this.#next();
    if (replica === undefined) return this.primary.snapshot(work, options);
    try {
      const isRecent = await replica.waitForPosition(this.positions.get(options.mayLagFor ?? ""));
      options.signal?.throwIfAborted();
      if (isRecent) return await replica.snapshot(work, options);
    } catch (error) {
      // A replica also aborts reads of rows that the primary has since vacuumed.
      if (!isLoyaltyError(error, "storage_unavailable")) throw error;
      replica.markDown();
    }
    return this.primary.snapshot(work, options);
  }

  transaction<T>(work: (session: Session) => Step<T>, options?: TransactionOptions): Promise<T> {
    return this.primary.transaction(work, options);
  }

  committedState(): null {
    return null;
  }

  purge(): Promise<void> {
    return this.primary.purge();
  }

  joining(host: OpenTransaction): SqlDatabase {
    return this.primary.joining(host);
  }

  async lend<T>(
    work: (tx: ManagedTransaction<ManagedPgClient>) => Promise<T>,
    timeoutMs: number,
  ): Promise<T> {
    const result = await this.primary.lend(work, timeoutMs);
    this.positions.note(undefined, await this.position());
    return result;
  }

  /** Returns the primary's current log position, as an LSN. */
  async position(): Promise<string> {
    const [row] = await runStep(this.primary.session.all(positionQuery));
    return row?.position ?? "0/0";
  }

  async close(): Promise<void> {
    await Promise.all(
      [this.primary, ...this.replicas.map(({ database }) => database)].map((each) => each.close()),
    );
  }

  /** Returns the next replica in rotation, skipping replicas that are down. */
  #next(): Replica | undefined {
    for (let tries = 0; tries < this.replicas.length; tries += 1) {
      this.#turn = (this.#turn + 1) % this.replicas.length;
      const replica = this.replicas[this.#turn];
      if (replica?.isUp) return replica;
    }
    return undefined;
  }
}
