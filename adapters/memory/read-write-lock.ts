interface LockRequest {
  readonly isExclusive: boolean;
  readonly enter: () => void;
}

/** Lets either one writer in, alone, or any number of readers together; those who wait enter in the order they came. */
export class ReadWriteLock {
  private readonly waiting: LockRequest[] = [];
  private readers = 0;
  private writing = false;

  /** True while there is a writer inside, so that nothing may be read from outside. */
  get isWriting(): boolean {
    return this.writing;
  }

  /** Runs the work beside other readers, while no writer is inside. */
  async shared<T>(work: () => T | Promise<T>): Promise<T> {
    await this.acquire(false);
    try {
      return await work();
    } finally {
      this.readers -= 1;
      this.grantNext();
    }
  }

  /** Runs the work while no other work holds the lock. */
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
