import { afterRunning } from "./after-running.js";

/**
 * Returns a task's result. The task keeps running if it times out.
 * @param ms the timeout, in milliseconds of the process's running time.
 * @throws an Error with the given message if the task takes longer than `ms`.
 */
export async function withTimeout<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = afterRunning(ms, () => reject(new Error(message)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

/**
 * Resolves to `true` if a task ends within `ms` milliseconds of the process's running time, whether it succeeds or fails, and to
 * `false` otherwise. The task keeps running in either case.
 */
export function finishesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const end = work.then(
    () => true,
    () => true,
  );
  return withTimeout(ms, end, "late").catch(() => false);
}
