/** What has begun and not ended yet. */
export class UnderWay {
  private readonly works = new Set<Promise<unknown>>();

  /** Notes the work until it ends, and gives it back. */
  async note<T>(work: Promise<T>): Promise<T> {
    this.works.add(work);
    try {
      return await work;
    } finally {
      this.works.delete(work);
    }
  }

  /** Resolves when all that is under way now has ended, one way or another. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.works);
  }
}
