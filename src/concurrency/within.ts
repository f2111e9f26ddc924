/** Gives the result of a work. @throws an Error with the message when the work takes longer; it goes on then. */
export async function resultWithin<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves to true when a work ends in time, well or not. The work goes on in any case. */
export function hasEndedWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const end = work.then(
    () => true,
    () => true,
  );
  return resultWithin(ms, end, "late").catch(() => false);
}
