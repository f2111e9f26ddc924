import { type Abortable, FairSemaphore } from "../../src/concurrency/fair-semaphore.js";
import { unavailable } from "../../src/errors.js";

/** The most waiting changes (or reads) of one organization, or of none, and the longest wait of each in milliseconds. */
const CHANGES = { length: 1_000, patience: 10_000 };
const READS = { length: 10_000, patience: 30_000 };

/** The share of a pool's connections that changes leave to reads, at least one. */
const FOR_READS = 1 / 3;

/** Queues calls before they take a connection, so that however many calls of one organization wait, others go on. */
export class ConnectionQueue {
  readonly #slots: FairSemaphore;
  #unnamed = 0;
  #unnamedWaiting = 0;

  /** @param share of the slots that others leave, which each organization may hold. */
  private constructor(
    atOnce: number,
    share: number,
    private readonly line: typeof CHANGES,
  ) {
    this.#slots = new FairSemaphore(atOnce, share, { ...line, createError: refusal });
  }

  /**
   * The queue of changes. One change of each organization runs at a time, because the server would make the others wait for it,
   * each on a connection. Some connections are left to reads.
   * @param connections the most connections of the pool. @param patienceMs the longest wait of a change.
   */
  static forChanges(connections: number, patienceMs = CHANGES.patience): ConnectionQueue {
    const atOnce = Math.max(1, connections - Math.max(1, Math.floor(connections * FOR_READS)));
    return new ConnectionQueue(atOnce, 1 / atOnce, { ...CHANGES, patience: patienceMs });
  }

  /**
   * The queue of reads, as many at a time as there are connections. If there are several, one is always free for the next
   * organization.
   * @param connections the most connections of the pool.
   */
  static forReads(connections: number): ConnectionQueue {
    return new ConnectionQueue(connections, 1 - 1 / connections, READS);
  }

  /**
   * @param organizationId `undefined` for a call of no organization, which only waits for a connection.
   * @throws what `work` throws; the signal's reason; `storage_unavailable` if its turn does not come.
   */
  run<T>(organizationId: string | undefined, work: () => Promise<T>, options?: Abortable): Promise<T> {
    return organizationId === undefined
      ? this.#runUnnamed(work, options)
      : this.#slots.run(organizationId, work, options);
  }

  /** The number of waiting callers. */
  get waiting(): number {
    return this.#slots.queued;
  }

  /** Each has a key of its own, so that they are counted together here. */
  async #runUnnamed<T>(work: () => Promise<T>, options?: Abortable): Promise<T> {
    if (this.#unnamedWaiting >= this.line.length) throw refusal();
    let isWaiting = true;
    const endWaiting = () => {
      if (isWaiting) this.#unnamedWaiting -= 1;
      isWaiting = false;
    };
    const begun = () => {
      endWaiting();
      return work();
    };
    this.#unnamedWaiting += 1;
    this.#unnamed += 1;
    try {
      // No organization has an empty line in its id.
      return await this.#slots.run(`\n\n${this.#unnamed}`, begun, options);
    } finally {
      endWaiting();
    }
  }
}

function refusal(): Error {
  const cause = new Error("too many calls wait for a connection, or one takes too long");
  return unavailable("crowded", cause);
}
