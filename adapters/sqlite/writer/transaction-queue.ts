import { failure } from "../../../src/errors.js";
import type { QueuedTransaction } from "./queued-transaction.js";

/** So many transactions of one organization may wait, and each for so many milliseconds. */
const MOST = 10_000;
export const PATIENCE_MS = 30_000;

/**
 * Transactions that wait for their turn: one of each organization that has some, then the next of each. Those of one
 * organization go in the order in which they came.
 */
export class TransactionQueue {
  /** They go before all others. */
  readonly #returned: QueuedTransaction[] = [];
  /** By organization; the one whose turn is next comes first. */
  readonly #waiting = new Map<string, QueuedTransaction[]>();

  get isEmpty(): boolean {
    return this.#returned.length === 0 && this.#waiting.size === 0;
  }

  /** The one that {@link shift} would give. */
  get first(): QueuedTransaction | undefined {
    if (this.#returned.length > 0) return this.#returned[0];
    const [line] = this.#waiting.values();
    return line?.[0];
  }

  /** @throws {LoyaltyError} `storage_unavailable` when too many of its organization wait. */
  push(transaction: QueuedTransaction): void {
    const { organizationId } = transaction;
    const line = this.#waiting.get(organizationId);
    if (line === undefined) this.#waiting.set(organizationId, [transaction]);
    else if (line.length < MOST) line.push(transaction);
    else {
      const cause = new Error("too many changes of the organization are waiting");
      throw failure("storage_unavailable", null, { cause });
    }
  }

  shift(): QueuedTransaction | undefined {
    if (this.#returned.length > 0) return this.#returned.shift();
    for (const [organizationId, line] of this.#waiting) {
      const first = line.shift();
      if (line.length === 0) this.#waiting.delete(organizationId);
      else if (this.#waiting.size > 1) this.#putLast(organizationId, line);
      return first;
    }
    return undefined;
  }

  /** Behind the other organizations. */
  #putLast(organizationId: string, line: QueuedTransaction[]): void {
    this.#waiting.delete(organizationId);
    this.#waiting.set(organizationId, line);
  }

  /** Lets those go that have waited for too long: they fail with `storage_unavailable`, and nothing of them has run. */
  refuseLate(now = performance.now()): void {
    for (const [organizationId, line] of this.#waiting) {
      while (line[0] !== undefined && now - line[0].asked > PATIENCE_MS) {
        const late = line.shift();
        const cause = new Error("other changes took too long");
        late?.fail(failure("storage_unavailable", null, { cause }));
        late?.answer();
      }
      if (line.length === 0) this.#waiting.delete(organizationId);
    }
  }

  /** Puts transactions back, to go before all others. */
  unshift(...transactions: readonly QueuedTransaction[]): void {
    this.#returned.unshift(...transactions);
  }
}
