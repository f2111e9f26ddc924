interface LockRequest {
  readonly isExclusive: boolean;
  readonly enter: () => void;
}

/**
 * A lock that admits either a single writer or any number of readers. Waiting tasks are admitted in the order in which they
 * arrived.
 */
export class ReadWriteLock {
  private readonly waiting: LockRequest[] = [];
  private readers = 0;
  private writing = false;

  /** Whether a writer holds the lock, which makes new readers wait. */
  get isWriting(): boolean {
    return this.writing;
  }

  /** Runs the task as a reader once the lock admits it. Other readers can run at the same time, but no writer can. */
  async shared<T>(work: () => T | Promise<T>): Promise<T> {
    await this.acquire(false);
    try {
      return await work();
    } finally {
      this.readers -= 1;
      this.grantNext();
    }
  }

  /** Runs the task as a writer once the lock admits it. Nothing else runs at the same time. */
  async exclusive<T>(work: () => T | Promise<T>): Promise<T> {
    await this.acquire(true);
    try {
      return await work();
    } finally {
      this.writing = false;
      this.grantNext();
    }
  }

  private acquire(isExclusive: boolean): Promise<void> {
    return new Promise((enter) => {
      this.waiting.push({ isExclusive, enter });
      this.grantNext();
    });
  }

  private grantNext(): void {
    for (let next = this.waiting[0]; next !== undefined && this.isFreeFor(next); next = this.waiting[0]) {
      this.waiting.shift();
      if (next.isExclusive) this.writing = true;
      else this.readers += 1;
      next.enter();
    }
  }

  private isFreeFor({ isExclusive }: LockRequest): boolean {
    return !this.writing && (!isExclusive || this.readers === 0);
  }
}
