/**
 * Maximum number of empty queues that are kept, because creating and deleting map entries on every call costs garbage collection.
 */
const MOST_KEPT = 1_000;

/** A queue for each organization. Keeps up to 1,000 empty queues for reuse. */
export class OrganizationQueues<T> {
  readonly #lines = new Map<string, T[]>();

  /** Number of queues, including the empty ones kept for reuse. */
  get size(): number {
    return this.#lines.size;
  }

  /** Returns an organization's queue, creating it if necessary. The caller can modify the returned array. */
  getOrCreate(organizationId: string): T[] {
    const known = this.#lines.get(organizationId);
    if (known !== undefined) return known;
    const line: T[] = [];
    this.#lines.set(organizationId, line);
    return line;
  }

  /** Deletes an organization's queue, unless it can be kept for reuse. Call this when the queue becomes empty. */
  dropIfEmpty(organizationId: string, line: readonly T[]): void {
    if (this.#lines.size > MOST_KEPT && this.#lines.get(organizationId) === line) {
      this.#lines.delete(organizationId);
    }
  }
}
