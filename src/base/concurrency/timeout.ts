import { afterRunning } from "./after-running.js";

/**
 * Waits for a task and returns its result. The task keeps running after a timeout.
 * @param ms the timeout, in milliseconds. Time during which the process is suspended doesn't count.
 * @throws an Error with the given message if the task takes longer than `ms`.
 */
export async function withTimeout<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  let cancel = () => {};
  const timeout = new Promise<never>((_, reject) => {
    cancel = afterRunning(ms, () => reject(new Error(message)));
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
  const end = work.then(
    () => true,
    () => true,
  );
  return withTimeout(ms, end, "late").catch(() => false);
}
