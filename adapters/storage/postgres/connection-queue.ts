import { type Abortable, FairSemaphore } from "../../../src/base/concurrency/fair-semaphore.js";
import { unavailable } from "../../../src/base/errors.js";

/**
 * Maximum number of changes (or reads) waiting per organization, or without an organization, and the maximum wait of each in
 * milliseconds.
 */
const CHANGE_LIMITS = { length: 1_000, patience: 10_000 };
const READ_LIMITS = { length: 10_000, patience: 30_000 };

/** Share of a pool's connections that changes leave to reads. They leave at least one. */
const READ_SHARE = 1 / 3;

/** Queues calls until a connection is available. One organization's backlog doesn't hold up other organizations. */
export class ConnectionQueue {
  readonly #slots: FairSemaphore;
  #unnamedCount = 0;
  #unnamedWaiting = 0;

  /** @param share the fraction of the slots not held by other organizations that each organization may hold. */
  private constructor(
    concurrency: number,
    share: number,
    private readonly limits: typeof CHANGE_LIMITS,
  ) {
    this.#slots = new FairSemaphore(concurrency, share, { ...limits, createError: createCrowdedError });
  }

  /**
   * Creates the queue for changes. It runs one change per organization at a time, because a second one would only tie up a
   * connection while waiting for the first to finish. Some connections are reserved for reads.
   * @param connections the pool's maximum number of connections.
   * @param timeoutMs how long a change can wait, in milliseconds.
   */
  static createForChanges(connections: number, timeoutMs = CHANGE_LIMITS.patience): ConnectionQueue {
    const concurrency = Math.max(1, connections - Math.max(1, Math.floor(connections * READ_SHARE)));
    return new ConnectionQueue(concurrency, 1 / concurrency, { ...CHANGE_LIMITS, patience: timeoutMs });
  }

  /**
   * Creates the queue for reads, which runs up to one read per connection. A single organization can't occupy every connection
   * unless the pool has only one.
   * @param connections the pool's maximum number of connections.
   */
  static createForReads(connections: number): ConnectionQueue {
    return new ConnectionQueue(connections, 1 - 1 / connections, READ_LIMITS);
  }

  /**
   * Runs `work` when its turn comes.
   * @param organizationId the organization that the call is for, or `undefined` if there is none. A call without an organization
   *   waits only for a free connection.
   * @returns the result of `work`.
   * @throws any error from `work`, the signal's abort reason, or `storage_unavailable` if the call's turn doesn't come in time.
   */
  run<T>(organizationId: string | undefined, work: () => Promise<T>, options?: Abortable): Promise<T> {
    return organizationId === undefined
      ? this.#runUnnamed(work, options)
      : this.#slots.run(organizationId, work, options);
  }

  /** The number of calls waiting for a connection, across all organizations. */
  get waiting(): number {
    return this.#slots.queued;
  }

  /**
   * Runs a call that isn't for any organization. Each such call has its own semaphore key, so the semaphore's per-key limit on
   * waiting calls has no effect. This method enforces the limit instead.
   */
  async #runUnnamed<T>(work: () => Promise<T>, options?: Abortable): Promise<T> {
    if (this.#unnamedWaiting >= this.limits.length) throw createCrowdedError();
    let isWaiting = true;
    const endWaiting = () => {
      if (isWaiting) this.#unnamedWaiting -= 1;
      isWaiting = false;
    };
    const runWork = () => {
      endWaiting();
      return work();
    };
    this.#unnamedWaiting += 1;
    this.#unnamedCount += 1;
    try {
      // Organization IDs never contain an empty line, so this key can't collide with one.
      return await this.#slots.run(`\n\n${this.#unnamedCount}`, runWork, options);
    } finally {
      endWaiting();
    }
  }
}

function createCrowdedError(): Error {
  const cause = new Error("too many calls are waiting for a connection, or one is taking too long");
  return unavailable("crowded", cause);
}
