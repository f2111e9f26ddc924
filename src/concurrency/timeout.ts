import { afterRunning } from "./after-running.js";

/**
 * Gives the result of a work.
 * @throws an Error with the message when the process runs for longer without it; the work goes on then.
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

/** Resolves to true when a work ends in time, well or not. The work goes on in any case. */
export function finishesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const end = work.then(
    () => true,
    () => true,
  );
  return withTimeout(ms, end, "late").catch(() => false);
}
