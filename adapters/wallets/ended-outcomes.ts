/** What has ended of several works, in the order in which it ended, and what has not. */
export interface Ended<T> {
  readonly ended: readonly T[];
  readonly others: readonly Promise<T>[];
}

/**
 * Waits for works until all have ended, or none has ended for a while.
 * @param stallMs how long that is, in milliseconds.
 * @throws what one of them rejects with meanwhile.
 */
export function endedOf<T>(works: readonly Promise<T>[], stallMs: number): Promise<Ended<T>> {
  return new Promise((resolve, reject) => {
    const left = new Set(works);
    const ended: T[] = [];
    const leave = () => resolve({ ended: [...ended], others: [...left] });
    let timer = setTimeout(leave, stallMs);
    for (const work of works) {
      work.then(
        (result) => {
          left.delete(work);
          ended.push(result);
          clearTimeout(timer);
          if (left.size === 0) leave();
          else timer = setTimeout(leave, stallMs);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(error);
        },
      );
    }
    if (left.size === 0) {
      clearTimeout(timer);
      leave();
    }
  });
}
