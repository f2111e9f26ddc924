/** Keep up to 1,000 empty queues: creating and deleting map entries on every call costs garbage collection. */
const MOST_KEPT = 1_000;

/** A queue for each organization. Empty queues are kept for reuse, unless there are more than a thousand. */
export class OrganizationQueues<T> {
  readonly #lines = new Map<string, T[]>();

  /** The number of queues, including empty ones. */
  get size(): number {
    return this.#lines.size;
  }

  /** The line of an organization, for the caller to change. */
  getOrCreate(organizationId: string): T[] {
    const known = this.#lines.get(organizationId);
    if (known !== undefined) return known;
    const line: T[] = [];
    this.#lines.set(organizationId, line);
    return line;
  }

  /** Call it when nothing is left in a line. */
  dropIfEmpty(organizationId: string, line: readonly T[]): void {
    if (this.#lines.size > MOST_KEPT && this.#lines.get(organizationId) === line) {
      this.#lines.delete(organizationId);
    }
  }
}
