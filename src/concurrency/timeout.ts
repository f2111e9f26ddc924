import { afterRunning } from "./after-running.js";

/**
 * Returns the result of a task.
 * @throws an Error with the message if the process runs for longer than `ms` milliseconds before the task ends; the task keeps
 *   running.
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

/** Resolves to true if a task ends in time, whether it succeeds or fails. The task keeps running in any case. */
export function finishesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const end = work.then(
    () => true,
    () => true,
  );
  return withTimeout(ms, end, "late").catch(() => false);
}
