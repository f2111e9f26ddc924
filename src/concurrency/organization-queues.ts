/**
 * Maximum number of empty queues that are kept, because creating and deleting map entries on every call costs garbage collection.
 */
const MOST_KEPT = 1_000;

/** A queue for each organization. Up to 1,000 empty queues are kept for reuse. */
export class OrganizationQueues<T> {
  readonly #lines = new Map<string, T[]>();

  /** The number of queues, including empty ones. */
  get size(): number {
    return this.#lines.size;
  }

  /** Returns an organization's queue, which the caller may modify. */
  getOrCreate(organizationId: string): T[] {
    const known = this.#lines.get(organizationId);
    if (known !== undefined) return known;
    const line: T[] = [];
    this.#lines.set(organizationId, line);
    return line;
  }

  /** Call this when a queue becomes empty. */
  dropIfEmpty(organizationId: string, line: readonly T[]): void {
    if (this.#lines.size > MOST_KEPT && this.#lines.get(organizationId) === line) {
      this.#lines.delete(organizationId);
    }
  }
}
