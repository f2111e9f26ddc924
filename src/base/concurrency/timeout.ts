/** Number of parts that a wait is divided into. */
const TIMER_PARTS = 20;

/**
 * Calls `end` after the process has run for another `ms` milliseconds. Each suspension, for example because the machine sleeps or
 * the host blocks the event loop, counts as at most one twentieth of `ms`, because a suspended process can't receive anything.
 * @returns a function that cancels the call.
 */
export function setActiveTimeout(ms: number, callback: () => void): () => void {
  let remainingParts = TIMER_PARTS;
  const runNextPart = () => {
    remainingParts -= 1;
    if (remainingParts === 0) callback();
    else timer = setTimeout(runNextPart, ms / TIMER_PARTS);
  };
  let timer = setTimeout(runNextPart, ms / TIMER_PARTS);
  return () => clearTimeout(timer);
}

/**
 * Waits for a task and returns its result. The task keeps running after a timeout.
 * @param ms the timeout, in milliseconds. Time during which the process is suspended doesn't count.
 * @throws an Error with the given message if the task takes longer than `ms`.
 */
export async function withTimeout<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  let cancel = () => {};
  const timeout = new Promise<never>((_, reject) => {
    cancel = setActiveTimeout(ms, () => reject(new Error(message)));
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    cancel();
  }
}

/**
 * Resolves to `true` if the task settles within `ms` milliseconds, and to `false` otherwise. Time during which the process is
 * suspended doesn't count. The task keeps running in either case.
 */
export function finishesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  );
  return withTimeout(ms, settled, "late").catch(() => false);
}
