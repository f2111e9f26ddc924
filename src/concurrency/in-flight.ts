/** Works that have begun and not ended yet. */
export class InFlight {
  private readonly works = new Set<Promise<unknown>>();

  /** Tracks the work until it ends, and gives it back. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.works.add(work);
    try {
      return await work;
    } finally {
      this.works.delete(work);
    }
  }

  get size(): number {
    return this.works.size;
  }

  /** Resolves when nothing is under way, what begins meanwhile included. */
  async settled(): Promise<void> {
    while (this.works.size > 0) await Promise.allSettled(this.works);
  }
}
