import { type Abortable, FairSemaphore } from "../../src/concurrency/fair-semaphore.js";
import { unavailable } from "../../src/errors.js";

/** So many changes, or reads, of one organization may wait, or of none in particular, and each for so many milliseconds. */
const CHANGES = { length: 1_000, patience: 10_000 };
const READS = { length: 10_000, patience: 30_000 };

/** The share of a pool's connections that changes leave to reads, of which there is one at least. */
const FOR_READS = 1 / 3;

/** Gives out turns before a connection is taken, so that however many works of one organization wait, those of others go on. */
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
   * Those of changes. One change of each organization has its turn at a time, since the server would let the others wait for it,
   * each on a connection. Some connections are left to reads.
   * @param connections how many the pool has at most. @param patienceMs for how long a change waits for its turn.
   */
  static forChanges(connections: number, patienceMs = CHANGES.patience): ConnectionQueue {
    const atOnce = Math.max(1, connections - Math.max(1, Math.floor(connections * FOR_READS)));
    return new ConnectionQueue(atOnce, 1 / atOnce, { ...CHANGES, patience: patienceMs });
  }

  /**
   * Those of reads, as many at a time as there are connections. Of several, one is always left to the next organization.
   * @param connections how many the pool has at most.
   */
  static forReads(connections: number): ConnectionQueue {
    return new ConnectionQueue(connections, 1 - 1 / connections, READS);
  }

  /**
   * @param organizationId `undefined` for what is of none in particular, which waits for no other but for a connection.
   * @throws what `work` throws; the signal's reason; `storage_unavailable` when its turn does not come.
   */
  run<T>(organizationId: string | undefined, work: () => Promise<T>, options?: Abortable): Promise<T> {
    return organizationId === undefined
      ? this.#runUnnamed(work, options)
      : this.#slots.run(organizationId, work, options);
  }

  /** How many wait. */
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
